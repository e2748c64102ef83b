/* The TI LM3S6965 (Cortex-M3): clock, UARTs, tick, watchdog, outputs, start-up.
 * UART0 is the line to the host, UART1 the bench.
 * Not: the protocol (core/).
 * Source: LM3S6965 data sheet (TI SPMS093): 5.4 RCC, 11 WDT, 12 GPIO, 13 UART; ARMv7-M B3.2, B3.3. */
#include <stdbool.h>
#include <string.h>

#include "firmware.h"
#include "hal.h"
#include "stimuli.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define RCC REGISTER(0x400FE060u)
#define RCC_BYPASS (1u << 11)
#define RCC_PWRDN (1u << 13)
#define RCC_USESYSDIV (1u << 22)
#define RCC_DIV_4 (3u << 23)
#define RCC_XTAL_8MHZ (0xEu << 6)
#define RCC_CLEARED ((0xFu << 23) | (0xFu << 6) | (3u << 4) | 1u)
#define RIS REGISTER(0x400FE050u)
#define RIS_PLL_LOCKED (1u << 6)
#define RCGC0 REGISTER(0x400FE100u)
#define RCGC1 REGISTER(0x400FE104u)
#define RCGC2 REGISTER(0x400FE108u)

#define GPIO_A 0x40004000u
#define GPIO_B 0x40005000u
#define GPIO_D 0x40007000u
#define GPIO_DIR 0x400u
#define GPIO_AFSEL 0x420u
#define GPIO_DEN 0x51Cu

#define UART0 0x4000C000u
#define UART1 0x4000D000u
#define UART_DR 0x00u
#define UART_FR 0x18u
#define UART_IBRD 0x24u
#define UART_FBRD 0x28u
#define UART_LCRH 0x2Cu
#define UART_CTL 0x30u
#define UART_IM 0x38u
#define UART_ICR 0x44u
#define FR_RX_EMPTY (1u << 4)
#define FR_TX_FULL (1u << 5)
#define LCRH_8N1_FIFO 0x70u
#define CTL_ON 0x301u
#define IM_RX_AND_TIMEOUT 0x50u

#define WDT_LOAD REGISTER(0x40000000u)
#define WDT_CTL REGISTER(0x40000008u)
#define WDT_ICR REGISTER(0x4000000Cu)
#define WDT_LOCK REGISTER(0x40000C00u)
#define WDT_UNLOCKING 0x1ACCE551u
#define WDT_INTEN_RESEN 3u

#define SYST_CSR REGISTER(0xE000E010u)
#define SYST_RVR REGISTER(0xE000E014u)
#define SYST_CVR REGISTER(0xE000E018u)
#define NVIC_ISER0 REGISTER(0xE000E100u)

#define CLOCK_HZ 50000000u
#define TICK_CYCLES (CLOCK_HZ / 1000u)
#define CYCLES_PER_US (CLOCK_HZ / 1000000u)
/* The second time-out in a row resets: four seconds. */
#define WATCHDOG_CYCLES (2u * CLOCK_HZ)

#define HOST_BUFFER 1024u
#define BENCH_BUFFER 256u

/* One writer (the interrupt), one reader (the main loop). A full buffer drops: the frame is then
 * damaged, and the host says it again. */
struct buffer {
    uint8_t *bytes;
    uint32_t size;
    volatile uint32_t head, tail;
};

static uint8_t host_bytes[HOST_BUFFER], bench_bytes[BENCH_BUFFER];
static struct buffer from_host = {host_bytes, HOST_BUFFER, 0, 0};
static struct buffer from_bench = {bench_bytes, BENCH_BUFFER, 0, 0};
static volatile uint64_t milliseconds;
static struct device device;

/* Stands for FRAM: the start-up leaves this section as the power cycle left it. */
__attribute__((section(".noinit"))) static struct store store;

/* Filled in by the build: the digest of everything else in flash. */
__attribute__((section(".image"), used)) const uint8_t hal_image[32] = {0};

void reset(void);
extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;

uint64_t hal_uptime_us(void)
{
    static uint64_t last;
    uint64_t before, after;
    uint32_t left;
    do {
        before = milliseconds;
        left = SYST_CVR;
        after = milliseconds;
    } while (before != after);
    uint64_t now = before * 1000u + (TICK_CYCLES - 1u - left) / CYCLES_PER_US;
    /* The counter may have restarted before its interrupt was served. */
    last = now > last ? now : last;
    return last;
}

static void uart_put(uint32_t uart, uint8_t byte)
{
    while (REGISTER(uart + UART_FR) & FR_TX_FULL) {
    }
    REGISTER(uart + UART_DR) = byte;
}

void hal_send(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        uart_put(UART0, bytes[i]);
}

void hal_store(void *place, const void *bytes, size_t length)
{
    memcpy(place, bytes, length);
}

void hal_outputs(uint32_t wanted)
{
    REGISTER(GPIO_B + (0xFu << 2)) = wanted & 0xFu;
}

int hal_debug_open(void)
{
    return 0;
}

static void uart_take(uint32_t uart, struct buffer *buffer)
{
    while (!(REGISTER(uart + UART_FR) & FR_RX_EMPTY)) {
        uint8_t byte = (uint8_t)REGISTER(uart + UART_DR);
        if (buffer->head - buffer->tail < buffer->size)
            buffer->bytes[buffer->head++ % buffer->size] = byte;
    }
    REGISTER(uart + UART_ICR) = IM_RX_AND_TIMEOUT;
}

static void on_uart0(void)
{
    uart_take(UART0, &from_host);
}

static void on_uart1(void)
{
    uart_take(UART1, &from_bench);
}

static void on_tick(void)
{
    milliseconds++;
}

static bool take_byte(struct buffer *buffer, uint8_t *byte)
{
    if (buffer->head == buffer->tail)
        return false;
    *byte = buffer->bytes[buffer->tail % buffer->size];
    buffer->tail++;
    return true;
}

static void start_clock(void)
{
    RCC = (RCC | RCC_BYPASS) & ~RCC_USESYSDIV;
    RCC = (RCC & ~(RCC_CLEARED | RCC_PWRDN)) | RCC_XTAL_8MHZ;
    RCC |= RCC_DIV_4 | RCC_USESYSDIV;
    for (uint32_t patience = 100000; !(RIS & RIS_PLL_LOCKED) && patience; patience--) {
    }
    RCC &= ~RCC_BYPASS;
}

static void start_uart(uint32_t uart)
{
    REGISTER(uart + UART_CTL) = 0;
    REGISTER(uart + UART_IBRD) = 3; /* 50 MHz / 16 / 1 Mbaud = 3 + 8/64 */
    REGISTER(uart + UART_FBRD) = 8;
    REGISTER(uart + UART_LCRH) = LCRH_8N1_FIFO;
    REGISTER(uart + UART_IM) = IM_RX_AND_TIMEOUT;
    REGISTER(uart + UART_CTL) = CTL_ON;
}

static void start_board(void)
{
    start_clock();
    RCGC0 |= 1u << 3;
    RCGC1 |= 3u;
    RCGC2 |= 1u << 0 | 1u << 1 | 1u << 3;
    REGISTER(GPIO_A + GPIO_AFSEL) |= 3u;
    REGISTER(GPIO_A + GPIO_DEN) |= 3u;
    REGISTER(GPIO_D + GPIO_AFSEL) |= 0xCu;
    REGISTER(GPIO_D + GPIO_DEN) |= 0xCu;
    REGISTER(GPIO_B + GPIO_DIR) |= 0xFu;
    REGISTER(GPIO_B + GPIO_DEN) |= 0xFu;
    SYST_RVR = TICK_CYCLES - 1u;
    SYST_CVR = 0;
    SYST_CSR = 7u;
    start_uart(UART0);
    start_uart(UART1);
    NVIC_ISER0 = 1u << 5 | 1u << 6;
    WDT_LOCK = WDT_UNLOCKING;
    WDT_LOAD = WATCHDOG_CYCLES;
    WDT_CTL = WDT_INTEN_RESEN;
}

static void say_to_bench(const char *text)
{
    while (*text)
        uart_put(UART1, (uint8_t)*text++);
    uart_put(UART1, '\n');
}

static void hang(void)
{
    for (;;) {
    }
}

/* A line that is too long is cut, and then not understood. */
static void bench_byte(char c)
{
    static char line[LINE_MAX];
    static uint32_t length;
    if (c != '\n') {
        if (length < sizeof line - 1)
            line[length++] = c;
        return;
    }
    line[length] = 0;
    length = 0;
    if (strcmp(line, "hang") == 0)
        hang();
    say_to_bench(stimulus(&device, line));
}

static void run(void)
{
    uint8_t byte;
    for (;;) {
        WDT_ICR = 1;
        while (take_byte(&from_host, &byte))
            firmware_receive(&device, byte);
        while (take_byte(&from_bench, &byte))
            bench_byte((char)byte);
        if (!firmware_poll(&device))
            __asm volatile("wfi");
    }
}

void reset(void)
{
    memcpy(&data_start, &data_load, (size_t)((char *)&data_end - (char *)&data_start));
    memset(&bss_start, 0, (size_t)((char *)&bss_end - (char *)&bss_start));
    __asm volatile(".global RING_BYTES\n.equ RING_BYTES, %c0" : : "i"(sizeof store.ring));
    start_board();
    firmware_boot(&device, &store);
    say_to_bench("ready");
    run();
}

typedef void (*vector)(void);

__attribute__((section(".vectors"), used)) static const vector vectors[16 + 7] = {
    (vector)&stack_top, reset, hang, hang, hang, hang, hang, 0, 0, 0, 0,
    hang,               hang,  0,    hang, on_tick,
    hang,               hang,  hang, hang, hang, on_uart0, on_uart1,
};
