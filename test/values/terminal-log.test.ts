import { expect, test } from 'vitest'
import { terminalLog } from '../../src/values/log.ts'

function lineOf(fields: object): string {
  let written = ''
  terminalLog({ write: (text) => (written += text) }).write(
    JSON.stringify({ level: 40, time: Date.UTC(2026, 0, 31, 9, 5), msg: 'a job failed', ...fields }),
  )
  return written
}

test('what another server has answered steers no terminal and begins no line', () => {
  const err = 'refused\u001b[2J\nnothing\u202e else'
  const shown = String.raw`err=refused\u001b[2J\nnothing\u202e else`
  expect(lineOf({ err })).toBe(`09:05:00  warn: a job failed  ${shown}\n`)
})
