import { expect, test } from 'vitest'
import { portOf } from '../../src/cli/options.ts'

test.each(['0', '4443', '65535'])('%s is a port', (given) => {
  expect(portOf('--port', given)).toBe(Number(given))
})

test.each(['65536', '99999', '-1'])('%s is no port, and the option is named', (given) => {
  expect(() => portOf('--port', given)).toThrow('Give --port a number from 0 to 65535.')
})

test('a port that is not given stays absent', () => {
  expect(portOf('--port', undefined)).toBe(undefined)
})
