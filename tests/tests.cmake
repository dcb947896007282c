# SPDX-License-Identifier: GPL-3.0-or-later
# How a test is declared; the only callers of add_test.
#
# asmsweep_test(NAME name LABELS label... COMMAND argument... | PYTEST file...
#               [MEASURES] [BUILDS] [CPU first|last] [TIMEOUT seconds]
#               [ENVIRONMENT VARIABLE=value...])
#   LABELS    one of quick, guest, fleet, long; and `check` for what reads the sources only,
#             `accuracy` for what judges values measured here: no other test does
#   MEASURES  its values suffer from other load: it runs alone
#   BUILDS    it keeps all cores busy: it runs alone, too, but before or behind
#   CPU       its runs take the first or the last of the machine's CPUs, one at a time: two such tests
#             would only wait for each other
#   TIMEOUT   generous: a busy host takes twice as long; those with a long one begin first
#   A test that ends with 77 is skipped; tests/allowed-skips says where that may be.
function(asmsweep_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "MEASURES;BUILDS" "NAME;TIMEOUT;CPU"
                        "LABELS;COMMAND;PYTEST;ENVIRONMENT")
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  if(test_PYTEST)
    list(TRANSFORM test_PYTEST PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set(test_COMMAND /usr/bin/python3 -B -m pytest -q -rs -p no:cacheprovider ${test_PYTEST})
  endif()
  add_test(NAME ${test_NAME} COMMAND ${test_COMMAND})
  set_tests_properties(${test_NAME} PROPERTIES
    LABELS "${test_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT ${test_TIMEOUT} COST ${test_TIMEOUT}
    ENVIRONMENT "${test_ENVIRONMENT}")
  if(test_MEASURES)
    set_tests_properties(${test_NAME} PROPERTIES RUN_SERIAL ON)
  endif()
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  if(test_BUILDS)
    math(EXPR all "2 * ${cores}") # as many as ./asmsweep test runs at once
    set_tests_properties(${test_NAME} PROPERTIES PROCESSORS ${all})
  endif()
  if(test_CPU AND cores EQUAL 1)
    set_tests_properties(${test_NAME} PROPERTIES RESOURCE_LOCK asmsweep-cpu)
  elseif(test_CPU)
    set_tests_properties(${test_NAME} PROPERTIES RESOURCE_LOCK asmsweep-${test_CPU}-cpu)
  endif()
endfunction()
