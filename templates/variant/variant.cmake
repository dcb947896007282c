# SPDX-License-Identifier: GPL-3.0-or-later
#
# How a sweep becomes binaries. The only place with the nostdlib flags.
#
# as and ld are called by one custom command a variant: of the ways measured on
# 200 to 10,000 variants it is the quickest (add_executable takes twice as long,
# and a compiler driver starts three processes where two will do).

find_program(ASMSWEEP_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
find_program(ASMSWEEP_CC NAMES gcc cc clang REQUIRED)
find_program(ASMSWEEP_AS as REQUIRED)
find_program(ASMSWEEP_LD ld REQUIRED)
find_program(ASMSWEEP_OBJDUMP objdump REQUIRED)
find_program(ASMSWEEP_BPF_AS bpf-as) # without it there are no programs of the kernel
# Debian 11's. What is older was never tried; bytes that a tool does not know are told by themselves.
set(ASMSWEEP_BINUTILS 2.35)
set(ASMSWEEP_VARIANT_DIR ${CMAKE_CURRENT_LIST_DIR})
set(ASMSWEEP_ROOT ${CMAKE_CURRENT_SOURCE_DIR})

# Freestanding, and fit for CPL0 without a stack switch: no red zone, nothing but
# general registers, no CET or stack protector prologues.
set(ASMSWEEP_C_FLAGS
    -std=gnu17 -O2 -Wall -Wextra -ffreestanding -fno-builtin -fno-pic -fno-pie
    -mno-red-zone -mgeneral-regs-only -fcf-protection=none -fno-stack-protector
    -fno-asynchronous-unwind-tables -ffunction-sections)
set(ASMSWEEP_LD_FLAGS
    -static -no-pie -nostdlib --build-id=none -z noexecstack -z max-page-size=4096
    --fatal-warnings -T ${ASMSWEEP_VARIANT_DIR}/variant.ld)

# Others take other options, print other text, or put sections elsewhere: gold, lld, llvm-objdump,
# Clang's assembler. build.py prints the line in tools.err.
function(asmsweep_check_binutils)
  foreach(tool "AS;GNU assembler" "LD;GNU ld" "OBJDUMP;GNU objdump")
    list(POP_FRONT tool variable)
    set(path ${ASMSWEEP_${variable}})
    execute_process(COMMAND ${path} --version OUTPUT_VARIABLE said ERROR_VARIABLE said)
    string(REGEX MATCH "[^\n]*" first "${said}")
    set(wrong)
    if(NOT first MATCHES "^${tool} .*[ ]([0-9]+[.][0-9]+[^ ]*)$")
      set(wrong "is not ${tool}")
    elseif(CMAKE_MATCH_1 VERSION_LESS ${ASMSWEEP_BINUTILS})
      set(wrong "is too old")
    endif()
    if(wrong)
      string(TOLOWER ${variable} name)
      file(WRITE ${CMAKE_BINARY_DIR}/tools.err "${path} (${first}) ${wrong}; install GNU binutils \
${ASMSWEEP_BINUTILS} or newer, or name its ${name} by -DASMSWEEP_${variable}=PATH of cmake\n")
      message(FATAL_ERROR "${path} (${first}) ${wrong}")
    endif()
  endforeach()
endfunction()

# Run the generator for `sweep` into the build directory; sets `out` to the names, `bpf` to those
# among them that are programs of the kernel.
function(asmsweep_generate sweep out bpf)
  execute_process(
    COMMAND ${ASMSWEEP_PYTHON} -B ${ASMSWEEP_ROOT}/generator/main.py
            --sweep "${sweep}" --out ${CMAKE_BINARY_DIR}
            --templates ${ASMSWEEP_VARIANT_DIR}/..
    WORKING_DIRECTORY ${ASMSWEEP_ROOT}
    ERROR_FILE ${CMAKE_BINARY_DIR}/generator.err
    RESULT_VARIABLE status)
  if(status)
    file(READ ${CMAKE_BINARY_DIR}/generator.err complaint)
    message(FATAL_ERROR "${complaint}")
  endif()
  file(STRINGS ${CMAKE_BINARY_DIR}/inputs.txt inputs)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs})
  file(STRINGS ${CMAKE_BINARY_DIR}/names.txt names)
  set(${out} ${names} PARENT_SCOPE)
  file(STRINGS ${CMAKE_BINARY_DIR}/bpf.txt names)
  set(${bpf} ${names} PARENT_SCOPE)
endfunction()

# The run-time as one object, so that ld opens one file less a source.
function(asmsweep_run_time out)
  foreach(source entry.s chains.s run.c stopwatch.c output.c limits.c
          signals.c traps.c subnormal.c)
    cmake_path(GET source STEM stem)
    set(object run-time/${stem}.o)
    set(depfile) # as reads nothing but its source
    if(source MATCHES "[.]c$")
      set(depfile DEPFILE ${object}.d)
    endif()
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${ASMSWEEP_CC} ${ASMSWEEP_C_FLAGS} -Wa,-I,${ASMSWEEP_VARIANT_DIR} -MD -MF ${object}.d -MT ${object}
              -c -o ${object} ${ASMSWEEP_VARIANT_DIR}/${source}
      DEPENDS ${ASMSWEEP_VARIANT_DIR}/${source} ${ASMSWEEP_VARIANT_DIR}/stamp.inc ${depfile} VERBATIM COMMENT "run-time ${stem}")
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(
    OUTPUT run-time/all.o
    COMMAND ${ASMSWEEP_LD} -r -o run-time/all.o ${objects}
    DEPENDS ${objects} VERBATIM COMMENT "run-time")
  set(${out} run-time/all.o PARENT_SCOPE)
endfunction()

# How a variant is made, for who does it without CMake: a word a line, as, then ld and what it takes
# in front of the variant's own object.
function(asmsweep_write_tools run_time)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/run-time)
  list(JOIN ASMSWEEP_LD_FLAGS "\n" flags)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/variant-tools CONTENT
    "${ASMSWEEP_AS}\n${ASMSWEEP_LD}\n${flags}\n${CMAKE_BINARY_DIR}/${run_time}\n")
endfunction()

# One variant: src/NAME.s to bin/NAME.
function(asmsweep_variant name run_time)
  add_custom_command(
    OUTPUT bin/${name}
    COMMAND ${ASMSWEEP_AS} -o obj/${name}.o src/${name}.s
    COMMAND ${ASMSWEEP_LD} ${ASMSWEEP_LD_FLAGS} -o bin/${name} ${run_time} obj/${name}.o
    DEPENDS ${CMAKE_BINARY_DIR}/src/${name}.s ${CMAKE_BINARY_DIR}/${run_time}
            ${ASMSWEEP_VARIANT_DIR}/variant.ld
    VERBATIM COMMENT "${name}")
endfunction()

# A program of the kernel: one object, which the engine links where it runs.
function(asmsweep_bpf_variant name)
  add_custom_command(
    OUTPUT bin/${name}
    COMMAND ${ASMSWEEP_BPF_AS} -o bin/${name} src/${name}.s
    DEPENDS ${CMAKE_BINARY_DIR}/src/${name}.s
    VERBATIM COMMENT "${name}")
endfunction()

# Binaries whose variant is gone would be packed and proved for nothing.
function(asmsweep_remove_stale names)
  foreach(folder bin obj)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
    file(GLOB found RELATIVE ${CMAKE_BINARY_DIR}/${folder} ${CMAKE_BINARY_DIR}/${folder}/*)
    if(folder STREQUAL obj)
      list(TRANSFORM names APPEND .o)
    endif()
    list(REMOVE_ITEM found ${names})
    list(TRANSFORM found PREPEND ${CMAKE_BINARY_DIR}/${folder}/)
    if(found)
      file(REMOVE ${found})
    endif()
  endforeach()
endfunction()

function(asmsweep_sweep sweep)
  asmsweep_check_binutils()
  asmsweep_generate("${sweep}" names bpf)
  asmsweep_remove_stale("${names}")
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/run-time)
  asmsweep_run_time(run_time)
  if(NOT ASMSWEEP_BPF_AS)
    list(REMOVE_ITEM names ${bpf})
    set(bpf)
  endif()
  foreach(name IN LISTS names)
    if(name IN_LIST bpf)
      asmsweep_bpf_variant(${name})
    else()
      asmsweep_variant(${name} ${run_time})
    endif()
  endforeach()
  list(TRANSFORM names PREPEND ${CMAKE_BINARY_DIR}/bin/ OUTPUT_VARIABLE binaries)
  if(ASMSWEEP_PROVE)
    add_custom_command(
      OUTPUT proof.csv
      COMMAND ${ASMSWEEP_PROVE} disassemble --as ${ASMSWEEP_AS} --objdump ${ASMSWEEP_OBJDUMP}
              ${CMAKE_BINARY_DIR}
      DEPENDS ${binaries} ${CMAKE_BINARY_DIR}/variants.csv ${ASMSWEEP_PROVE}
      VERBATIM COMMENT "proof by disassembly")
    set(binaries proof.csv)
  endif()
  add_custom_target(variants ALL DEPENDS ${binaries})
endfunction()
