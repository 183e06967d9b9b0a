import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { portOf } from '../../src/cli/options.ts'
import { buildProgram } from '../../src/cli/run-program.ts'

test.each(['0', '4443', '65535'])('%s is a port', (given) => {
  expect(portOf('--port', given)).toBe(Number(given))
})

test.each(['65536', '99999', '-1'])('%s is no port, and the option is named', (given) => {
  expect(() => portOf('--port', given)).toThrow('Give --port a number from 0 to 65535.')
})

test('a port that is not given stays absent', () => {
  expect(portOf('--port', undefined)).toBe(undefined)
})

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)]

test('the help of each command marks the options that it does not run without, and no others', () => {
  const options = allOf(buildProgram()).flatMap((command) =>
    command.options.map((option) => {
      const isMarked = command.createHelp().optionDescription(option).endsWith(' (required)')
      return { option: `${command.name()} ${option.flags}`, isNeeded: option.mandatory, isMarked }
    }),
  )
  expect(options.filter(({ isNeeded, isMarked }) => isNeeded !== isMarked)).toEqual([])
  expect(options.filter(({ isNeeded }) => isNeeded).length).toBeGreaterThan(10)
})
