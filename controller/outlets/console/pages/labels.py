"""Members of closed sets in words, as the pages name them."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from controller.system.messages.catalogue import to_words
from foundation.message import Message, message

LABELS: Final[Mapping[str, Mapping[str, Message]]] = MappingProxyType(
    {
        "back": {
            "red": message("console_back_red"),
            "blue": message("console_back_blue"),
        },
        "batch": {
            "collected": message("console_batch_collected"),
            "counted": message("console_batch_counted"),
            "cut": message("console_batch_cut"),
            "held": message("console_batch_held"),
            "in_play": message("console_batch_in_play"),
            "in_shoe": message("console_batch_in_shoe"),
            "released": message("console_batch_released"),
            "shuffled": message("console_batch_shuffled"),
            "shuffling": message("console_batch_shuffling"),
            "unknown": message("console_batch_unknown"),
            "spent": message("in_the_discard_rack"),
            "stored": message("in_the_shuffler"),
        },
        "beside": {
            "aside": message("console_beside_aside"),
            "burn": message("console_beside_burn"),
            "third": message("console_beside_third"),
        },
        "coup": {
            "banker": message("console_coup_banker"),
            "corrected_banker": message("console_coup_corrected_banker"),
            "corrected_player": message("console_coup_corrected_player"),
            "corrected_tie": message("console_coup_corrected_tie"),
            "counted": message("console_coup_counted"),
            "open": message("console_coup_open"),
            "partial": message("console_coup_partial"),
            "player": message("console_coup_player"),
            "provisional": message("console_coup_provisional"),
            "tie": message("tie"),
            "void": message("console_void"),
        },
        "decision": {
            "burn_card": message("console_decision_burn_card"),
            "carry_card": message("console_decision_carry_card"),
            "close_shoe": message("console_decision_close_shoe"),
            "continue": message("console_decision_continue"),
            "state_outcome": message("console_decision_state_outcome"),
            "void_coup": message("console_decision_void_coup"),
        },
        "device": {
            "door_open": message("console_device_door_open"),
            "interlocked": message("console_device_interlocked"),
            "locked": message("console_device_locked"),
            "reader": message("console_device_reader"),
            "scanner": message("console_device_scanner"),
            "shoe": message("console_device_shoe"),
            "shuffler": message("console_device_shuffler"),
        },
        "field": {
            "act": message("console_field_act"),
            "amount": message("console_field_amount"),
            "banker_pair": message("banker_pair"),
            "batch": message("console_which_batch"),
            "by_order": message("console_field_by_order"),
            "code": message("console_field_code"),
            "compartment": message("console_field_compartment"),
            "coup": message("console_field_coup"),
            "day": message("console_field_day"),
            "dealer": message("console_field_dealer"),
            "decision": message("console_field_decision"),
            "form_number": message("console_field_form_number"),
            "hand": message("console_field_hand"),
            "number": message("console_field_number"),
            "order": message("console_field_order"),
            "outcome": message("console_outcome"),
            "patron": message("console_field_patron"),
            "patron_signed": message("console_field_patron_signed"),
            "pit": message("console_field_pit"),
            "pit_clerk": message("console_field_pit_clerk"),
            "player_pair": message("player_pair"),
            "provisional": message("console_provisional"),
            "reference": message("console_field_reference"),
            "seat": message("console_field_seat"),
            "setting": message("console_field_setting"),
            "shoe": message("console_field_shoe"),
            "tag": message("console_field_tag"),
            "to": message("console_field_to"),
            "value": message("console_field_value"),
            "void": message("console_field_void"),
            "wagers": message("console_field_wagers"),
            "what": message("console_field_what"),
        },
        "hand": {
            "player": message("player"),
            "banker": message("banker"),
        },
        "health": {
            "failed": message("console_health_failed"),
            "refused": message("console_health_refused"),
            "starting": message("console_health_starting"),
            "stopped": message("console_health_stopped"),
            "store_failed": message("console_health_store_failed"),
        },
        "outcome": {
            "player": message("player"),
            "banker": message("banker"),
            "tie": message("tie"),
        },
        "provisional": {
            "take_over": message("console_provisional_take_over"),
            "void": message("console_void"),
        },
        "rank": {
            "2": message("console_rank_two"),
            "3": message("console_rank_three"),
            "4": message("console_rank_four"),
            "5": message("console_rank_five"),
            "6": message("console_rank_six"),
            "7": message("console_rank_seven"),
            "8": message("console_rank_eight"),
            "9": message("console_rank_nine"),
            "10": message("console_rank_ten"),
            "A": message("console_rank_ace"),
            "J": message("console_rank_jack"),
            "K": message("console_rank_king"),
            "Q": message("console_rank_queen"),
        },
        "result": {
            "banker": message("console_result_banker"),
            "player": message("console_result_player"),
            "tie": message("console_result_tie"),
        },
        "role": {
            "dealer": message("console_role_dealer"),
            "engineer": message("console_role_engineer"),
            "floorperson": message("console_role_floorperson"),
            "inspector": message("console_role_inspector"),
            "pit_manager": message("console_role_pit_manager"),
            "surveillance": message("console_role_surveillance"),
        },
        "stage": {
            "closed": message("console_stage_closed"),
            "identified": message("console_stage_identified"),
            "lost": message("console_stage_lost"),
            "online": message("console_stage_online"),
            "opened": message("console_stage_opened"),
        },
        "suit": {
            "c": message("console_suit_c"),
            "d": message("console_suit_d"),
            "h": message("console_suit_h"),
            "s": message("console_suit_s"),
        },
        "turned": {
            "banker_hand": message("console_turned_banker_hand"),
            "banker_third": message("console_turned_banker_third"),
            "error_card": message("console_turned_error_card"),
            "player_hand": message("console_turned_player_hand"),
            "player_third": message("console_turned_player_third"),
        },
        "withheld": {
            "dealt_while_suspended": message("console_withheld_dealt_while_suspended"),
            "drawn_in_error": message("console_withheld_drawn_in_error"),
            "face_down": message("console_withheld_face_down"),
            "incomplete": message("console_withheld_incomplete"),
            "never_turned": message("console_withheld_never_turned"),
            "not_exposed": message("console_withheld_not_exposed"),
            "unread": message("console_withheld_unread"),
        },
    }
)


def label(kind: str, value: StrEnum | str) -> str:
    """A member of a closed set in words."""
    return to_words(LABELS[kind][value.replace("-", "_")])
