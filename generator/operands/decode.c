// SPDX-License-Identifier: GPL-3.0-or-later
#include "generator/operands/decode.h"

#include <Zydis/Zydis.h>
#include <string.h>

static void text(cJSON *object, const char *key, const char *value) {
    cJSON_AddStringToObject(object, key, value != NULL ? value : "");
}

static const char *register_name(ZydisRegister name) {
    return name == ZYDIS_REGISTER_NONE ? "" : ZydisRegisterGetString(name);
}

static const char *whole_register(ZydisRegister name) {
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    return register_name(whole == ZYDIS_REGISTER_NONE ? name : whole);
}

static const char *encoding_name(ZydisInstructionEncoding encoding) {
    static const char *const names[] = {"legacy", "3dnow", "xop", "vex", "evex", "mvex"};
    return (size_t)encoding < sizeof names / sizeof *names ? names[encoding] : "";
}

// Names of the bits of a mask of RFLAGS, arithmetic ones and the others that programs change.
static void add_flags(cJSON *object, const char *key, ZydisAccessedFlagsMask mask) {
    static const struct {
        ZydisAccessedFlagsMask bit;
        const char *name;
    } flags[] = {{ZYDIS_CPUFLAG_CF, "cf"}, {ZYDIS_CPUFLAG_ZF, "zf"}, {ZYDIS_CPUFLAG_SF, "sf"},
                 {ZYDIS_CPUFLAG_OF, "of"}, {ZYDIS_CPUFLAG_PF, "pf"}, {ZYDIS_CPUFLAG_AF, "af"},
                 {ZYDIS_CPUFLAG_DF, "df"}, {ZYDIS_CPUFLAG_IF, "if"}};
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (mask & flags[i].bit)
            cJSON_AddItemToArray(list, cJSON_CreateString(flags[i].name));
}

static void add_memory(cJSON *object, const ZydisDecodedOperandMem *memory) {
    text(object, "base", register_name(memory->base));
    text(object, "index", register_name(memory->index));
    cJSON_AddNumberToObject(object, "scale", memory->scale);
    cJSON_AddBoolToObject(object, "address_only", memory->type == ZYDIS_MEMOP_TYPE_AGEN);
}

static cJSON *operand(const ZydisDecodedOperand *from) {
    static const char *const kinds[] = {"", "register", "memory", "pointer", "immediate"};
    cJSON *object = cJSON_CreateObject();
    text(object, "kind", kinds[from->type]);
    cJSON_AddBoolToObject(object, "shown", from->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN);
    cJSON_AddBoolToObject(object, "fixed", from->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT);
    cJSON_AddNumberToObject(object, "bits", from->size);
    cJSON_AddNumberToObject(object, "elements", from->element_count);
    // What may stay as it is is read: CMOV, a masked write.
    cJSON_AddBoolToObject(object, "read",
                          from->actions &
                              (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE));
    cJSON_AddBoolToObject(object, "written", from->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
    if (from->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        text(object, "register", register_name(from->reg.value));
        text(object, "whole", whole_register(from->reg.value));
    } else if (from->type == ZYDIS_OPERAND_TYPE_MEMORY)
        add_memory(object, &from->mem);
    return object;
}

cJSON *decode(const uint8_t *code, size_t *length) {
    ZydisDecoder decoder;
    ZydisDecodedInstruction found;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    cJSON *object = cJSON_CreateObject();
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, *length, &found, operands))) {
        *length = 1;
        cJSON_AddTrueToObject(object, "bad");
        return object;
    }
    *length = found.length;
    text(object, "mnemonic", ZydisMnemonicGetString(found.mnemonic));
    text(object, "set", ZydisISASetGetString(found.meta.isa_set));
    text(object, "category", ZydisCategoryGetString(found.meta.category));
    text(object, "encoding", encoding_name(found.encoding));
    cJSON_AddBoolToObject(object, "privileged",
                          (found.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) != 0);
    cJSON_AddBoolToObject(object, "locked", (found.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0);
    ZydisAccessedFlagsMask read = 0, written = 0;
    if (found.cpu_flags != NULL) {
        read = found.cpu_flags->tested;
        written = found.cpu_flags->modified | found.cpu_flags->set_0 | found.cpu_flags->set_1;
    }
    add_flags(object, "flags_read", read);
    add_flags(object, "flags_written", written);
    if (found.avx.mask.mode > ZYDIS_MASK_MODE_DISABLED) {
        text(object, "mask", register_name(found.avx.mask.reg));
        cJSON_AddBoolToObject(object, "merging", found.avx.mask.mode == ZYDIS_MASK_MODE_MERGING);
    }
    cJSON *list = cJSON_AddArrayToObject(object, "operands");
    for (size_t i = 0; i < found.operand_count; i++)
        cJSON_AddItemToArray(list, operand(&operands[i]));
    return object;
}
