"""Lists every output of the program: what it may show, and which modules write it.

Source: D-8 (a scan is not disclosure).
"""

from typing import Final

from controller.record.output_kinds import AllowedContent, Output, OutputName

OUTPUTS: Final = (
    Output(
        OutputName.SNAPSHOT,
        "control socket: status and subscriptions",
        AllowedContent.SEEN,
        modules={
            "socket": (
                "controller.outlets.control.server",
                "controller.system.peer",
                "controller.outlets.control.client",
            )
        },
    ),
    Output(
        OutputName.ACTION_ANSWER,
        "control socket: the result of an action",
        AllowedContent.NO_CARD,
        modules={
            "socket": ("controller.outlets.control.server", "controller.outlets.control.client")
        },
    ),
    Output(
        OutputName.CONTROL_REFUSAL,
        "control socket: why a request or an action was refused",
        AllowedContent.NO_CARD,
        modules={"socket": ("controller.outlets.control.server",)},
    ),
    Output(
        OutputName.PAGES,
        "HTTP: the operator page, the patrons' display, their streams, answers to their forms",
        AllowedContent.SEEN,
        modules={
            "socket": (
                "controller.outlets.console.application",
                "controller.outlets.console.stream",
                "controller.outlets.console.table_site",
            ),
        },
    ),
    Output(
        OutputName.API,
        "HTTP: the snapshot and its stream, actions and the answers to them",
        AllowedContent.SEEN,
        modules={
            "socket": ("controller.outlets.console.stream", "controller.outlets.console.table_site")
        },
    ),
    Output(
        OutputName.METRICS,
        "HTTP: counts for Prometheus",
        AllowedContent.NO_CARD,
        modules={
            "metrics": (
                "controller.outlets.metrics.page",
                "controller.outlets.console.metrics_routes",
            ),
            "socket": (
                "controller.outlets.console.http_server",
                "controller.outlets.console.metrics_routes",
                "controller.system.peer",
                "controller.system.listener",
                "controller.system.tls",
            ),
            "bytes": ("controller.outlets.console.http_server", "controller.system.tls"),
        },
    ),
    Output(
        OutputName.HEALTH_PAGES,
        "HTTP: /healthz, /readyz and unknown pages",
        AllowedContent.NO_CARD,
        modules={"socket": ("controller.outlets.console.metrics_routes",)},
    ),
    Output(
        OutputName.LOG,
        "log: start, end, irregularities, decisions, devices, advisories, warnings by kind, errors",
        AllowedContent.SEEN,
        modules={
            "log": (
                "controller.outlets.console.application",
                "controller.outlets.console.http_server",
                "controller.service.app",
                "controller.service.coup_history",
                "controller.service.table_log",
                "controller.service.power_fail",
                "controller.service.shoe_monitors",
                "controller.service.signal_lines",
                "controller.service.table_program",
                "controller.service.tables",
                "controller.table.disk_space",
                "controller.table.line_limit",
                "controller.table.serial_servers",
                "controller.table.stored_until",
                "controller.table.subscribers",
                "controller.archive.log_writer",
                "controller.archive.sealer",
                "controller.archive.witness",
                "controller.outlets.metrics.table_metrics",
                "controller.system.line_output",
                "controller.outlets.feed.publisher",
                "controller.table.table",
            )
        },
    ),
    Output(
        OutputName.WIRE_LOG,
        "log: bytes that arrive on a port, if [log] wire enables it",
        AllowedContent.MASKED,
        modules={"log": ("controller.service.table_log",)},
    ),
    Output(
        OutputName.SERVICE_NOTICE,
        "datagrams to systemd: ready, alive, stopping",
        AllowedContent.NO_CARD,
        modules={"socket": ("controller.system.systemd",)},
    ),
    Output(
        OutputName.DEVICE_BYTES,
        "bytes written to a device: commands and acknowledgements; stack light and exit lock",
        AllowedContent.NO_CARD,
        modules={
            "device": (
                "firmware_bridge.gpio.chip",
                "firmware_bridge.transport.serial_port",
                "firmware_bridge.transport.usb_devices",
                "firmware_bridge.transport.usb_port",
            ),
            "socket": ("firmware_bridge.transport.serial_port",),
            "bytes": (
                "controller.table.table",
                "firmware_bridge.transport.pump",
                "firmware_bridge.transport.serial_port",
                "firmware_bridge.transport.usb_port",
            ),
        },
    ),
    Output(
        OutputName.PROGRAM_WORDS,
        "stderr of `smartshoe run`: why it does not start, why it ended; its settings, through a"
        " pipe of its own, before it opens a journal",
        AllowedContent.NO_CARD,
        modules={
            "terminal": ("controller.service.app",),
            "file": ("controller.service.config.apart",),
            "bytes": ("controller.service.config.apart",),
            "process": ("controller.service.config.apart",),
        },
    ),
    Output(
        OutputName.JOURNAL,
        "live.db, people.db, lock, reserve, sealed shoes, archives, tapes, private copies, and in"
        " memory up to when all is stored",
        AllowedContent.EVIDENCE,
        modules={
            "database": (
                "controller.journal.database",
                "controller.journal.log_database",
                "controller.journal.people",
                "controller.journal.reader",
                "controller.journal.store",
                "controller.journal.verify",
            ),
            "file": (
                "controller.table.disk_space",
                "controller.table.stored_until",
                "controller.journal.database",
                "controller.journal.folder",
                "controller.journal.people",
                "controller.journal.tape_file",
                "controller.journal.verify",
                "controller.archive.backup",
                "controller.journal.evidence_log.tile_files",
                "controller.archive.prune",
                "controller.system.atomic_file",
            ),
            "bytes": (
                "controller.journal.tape_file",
                "controller.system.atomic_file",
            ),
            # The second asks the kernel about the clock, and gives it nothing.
            "process": ("controller.archive.signer", "controller.table.monitor"),
        },
    ),
    Output(
        OutputName.STATUS_WORDS,
        "`smartshoe status`, `resolve`, `close-shoe`, `act`, `people`: a snapshot or an answer as"
        " text; the question for a PIN",
        AllowedContent.SEEN,
        modules={
            "terminal": (
                "controller.cli.table.act_pit",
                "controller.cli.table.commands",
                "controller.cli.table.people",
                "controller.cli.table.pins",
                "controller.cli.table.status_folder",
                "controller.cli.table.status",
                "controller.system.command_line.output",
            )
        },
    ),
    Output(
        OutputName.MONITOR,
        "`smartshoe devices monitor`",
        AllowedContent.MASKED,
        modules={"terminal": ("controller.cli.devices.monitor", "controller.cli.devices.commands")},
    ),
    Output(
        OutputName.WIRE_RECORD,
        "`smartshoe devices record`: raw bytes of a closed table's devices, in a private file",
        AllowedContent.MASKED,
        modules={
            "file": ("controller.service.capture_file",),
            "terminal": ("controller.cli.devices.record",),
        },
    ),
    Output(
        OutputName.DEVICE_LIST,
        "`smartshoe devices`: what is plugged in",
        AllowedContent.NO_CARD,
        modules={"terminal": ("controller.cli.devices.device_list",)},
    ),
    Output(
        OutputName.KEY,
        "keys, paired devices, what is approved: `keys`, `identity`, `firmware`, `approve`",
        AllowedContent.NO_CARD,
        modules={
            "file": (
                "controller.system.keys",
                "controller.system.atomic_file",
                "controller.journal.evidence_log.head_keys",
            ),
            "bytes": (
                "controller.system.keys",
                "controller.system.atomic_file",
                # A signature of what another program gave it.
                "controller.cli.batches.keys",
            ),
            "terminal": (
                "controller.cli.devices.firmware",
                "controller.cli.evidence.program",
                "controller.cli.devices.identity",
                "controller.cli.batches.keys",
                "controller.cli.evidence.key_life",
            ),
        },
    ),
    Output(
        OutputName.BATCH,
        "batch files, batch and shuffle receipts, `smartshoe batch`, `shuffles`",
        AllowedContent.BATCH,
        modules={
            "file": ("controller.system.atomic_file",),
            "bytes": ("controller.system.atomic_file",),
            "terminal": (
                "controller.cli.batches.commands",
                "controller.cli.batches.options",
                "controller.cli.batches.enrol",
                "controller.cli.batches.pile_view",
                "controller.cli.batches.recount",
                "controller.cli.batches.shuffles",
            ),
        },
    ),
    Output(
        OutputName.BATCH_READER,
        "bytes written to a device outside a table: a batch is counted, a device is paired",
        AllowedContent.NO_CARD,
        modules={
            "bytes": (
                "controller.service.commissioning.pairing",
                "controller.service.commissioning.pile_reader",
            )
        },
    ),
    Output(
        OutputName.VERIFY_REPORT,
        "`smartshoe verify`: counts, record numbers and the head of the chain",
        AllowedContent.NO_CARD,
        modules={
            "terminal": ("controller.cli.evidence.verify_replay", "controller.journal.verify")
        },
    ),
    Output(
        OutputName.REPLAY_REPORT,
        "`smartshoe replay`: kinds of entries and codes, to a reader of the journal",
        AllowedContent.NO_CARD,
        modules={"terminal": ("controller.cli.evidence.verify_replay",)},
    ),
    Output(
        OutputName.EVIDENCE_BUNDLE,
        "`smartshoe evidence`: a coup of a sealed shoe in a file, its page only with cards seen",
        AllowedContent.EVIDENCE,
        modules={
            "file": ("office.evidence.bundle", "controller.system.atomic_file"),
            "bytes": ("controller.system.atomic_file",),
            "terminal": ("office.cli.bundle",),
        },
    ),
    Output(
        OutputName.REPORT,
        "`smartshoe report`: pages and tables of sealed shoes, only with cards seen; with --bundles"
        " the bundles, too",
        AllowedContent.EVIDENCE,
        modules={
            "file": (
                "office.reports.day_folder",
                "office.evidence.bundle",
                "controller.system.atomic_file",
            ),
            "bytes": ("controller.system.atomic_file",),
            "terminal": ("office.cli.report",),
        },
    ),
    Output(
        OutputName.AUDIT_REPORT,
        "`smartshoe audit`: counts, and cards of finished shoes that broke a rule",
        AllowedContent.SEEN,
        modules={
            "terminal": ("office.cli.audit",),
            "process": ("office.audit.worker_pool",),
        },
    ),
    Output(
        OutputName.JOURNAL_FILES,
        "`smartshoe journal`, `people`: sealed shoes, heads of the log, rows of coups, names",
        AllowedContent.SEEN,
        modules={
            "terminal": (
                "controller.cli.evidence.backup",
                "controller.cli.evidence.journal_files",
                "controller.cli.evidence.journal_retention",
                "controller.cli.evidence.people",
            )
        },
    ),
    Output(
        OutputName.TABLES,
        "`smartshoe journal export --parquet`: finished coups as tables, persons by their ids",
        AllowedContent.SEEN,
        modules={
            "file": ("office.analytics.parquet_folder",),
            "bytes": ("office.analytics.parquet_folder",),
            "terminal": ("office.cli.tables",),
        },
    ),
    Output(
        OutputName.OVERLAY,
        "text lines over TCP for video recorders: coups, irregularities by code, decisions",
        AllowedContent.SEEN,
        modules={"socket": ("controller.system.line_output",)},
    ),
    Output(
        OutputName.REFERENCE,
        "`smartshoe rules`, `clauses`, `odds`, `check-config`, `act --list`, help and version",
        AllowedContent.OWN,
        modules={
            "terminal": (
                "controller.cli.table.act_list",
                "controller.cli.rules.clauses",
                "controller.cli.commands",
                "controller.cli.main",
                "controller.system.command_line.path_parameters",
                "controller.system.command_line.standard_output",
                "controller.system.command_line.usage",
                "controller.cli.table.run",
                "controller.cli.rules.odds",
                "controller.cli.rules.play",
                "controller.cli.rules.rules",
                "controller.cli.table.check_config",
                "controller.cli.table.check_folder",
            ),
            "bytes": ("controller.system.command_line.standard_output",),
        },
    ),
    Output(
        OutputName.SET_UP,
        "`smartshoe setup`, `doctor`: a table and its machine; what systemd and others are asked",
        AllowedContent.NO_CARD,
        modules={
            "terminal": (
                "controller.cli.set_up.doctor",
                "controller.cli.set_up.questions",
                "controller.cli.set_up.setup",
            ),
            "process": ("controller.cli.set_up.first_start", "controller.cli.set_up.units"),
            "file": ("controller.cli.set_up.first_start",),
            "socket": ("controller.system.reach",),
        },
    ),
    Output(
        OutputName.TRIED,
        "`smartshoe try`, `settle`, `rules changes`: scripts or a coup that the user writes",
        AllowedContent.OWN,
        modules={
            "terminal": (
                "controller.cli.rules.settle",
                "controller.cli.rules.try_script",
                "controller.cli.rules.changed_verdicts",
            ),
            "process": ("controller.cli.rules.changed_verdicts",),
            "bytes": ("controller.cli.rules.changed_verdicts",),
        },
    ),
    Output(
        OutputName.FAULT,
        "stderr of a command: an internal error by type and line, without its message",
        AllowedContent.NO_CARD,
        modules={
            "terminal": ("controller.system.command_line.errors", "controller.system.process")
        },
    ),
    Output(
        OutputName.ERROR_WORDS,
        "stderr of a command: a known error of a request, a file, a port or a record",
        AllowedContent.NO_CARD,
        modules={"terminal": ("controller.system.command_line.errors",)},
    ),
    Output(
        OutputName.WITNESS,
        "requests to witnesses: size and root of the evidence log, signatures, hashes of proofs",
        AllowedContent.NO_CARD,
        modules={"socket": ("controller.archive.witness",)},
    ),
    Output(
        OutputName.FEED,
        "MQTT: events of the floor feed, heads of the evidence log, sealed shoes on request",
        AllowedContent.SEEN,
        modules={
            "socket": ("controller.outlets.feed.mqtt", "controller.outlets.feed.bounded_client")
        },
    ),
)
