import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RowResult } from '../../bench/measure.ts'
import { runRows } from '../../bench/run-rows.ts'

/** The row `hangs` heeds no signal, and has started a process that leads a group of its own and is connected to a port. */
const SCRIPT = `
import { spawn } from 'node:child_process'
const [name, port] = process.argv.slice(2)
const ended = () => name === 'hangs' || process.exit(name === 'fails' ? 1 : 0)
process.on('SIGTERM', () => undefined)
if (name === 'hangs') spawn(process.execPath, ['-e', \`require('node:net').connect(\${port})\`], { detached: true, stdio: 'ignore' })
process.send({ measures: [], notes: ['of ' + name] }, ended)
`

async function rows(names: readonly string[], limitMs: number, signal = new AbortController().signal, port = 0) {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-rows-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const script = join(directory, 'row.mjs')
  await writeFile(script, SCRIPT)
  const results: RowResult[] = []
  const options = { script, args: [String(port)], limitMs, closeMs: 1, signal }
  const failed = await runRows(names, { ...options, onEnd: (result) => results.push(result) })
  return { failed, notes: results.map(({ name, notes }) => [name, ...notes]) }
}

test('a row that fails does not stop the next one', async () => {
  const notes = [
    ['fails', 'of fails'],
    ['last', 'of last'],
  ]
  expect(await rows(['fails', 'last'], 60_000)).toEqual({ failed: ['fails'], notes })
})

test('a row that does not end in its time is ended, and the next one begins', async () => {
  const { failed, notes } = await rows(['hangs', 'last'], 1)
  expect(failed).toEqual(['hangs', 'last'])
  expect(notes.map((one) => one.at(-1))).toEqual(Array(2).fill('not measured: it did not end in 0.001 s'))
})

test('an interrupted run keeps what was measured, begins no other row, and leaves no process of the one that hung', async () => {
  const interruption = new AbortController()
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const connected = once(server, 'connection') as Promise<[Socket]>
  const ended = connected.then(([socket]) => {
    interruption.abort()
    return once(
      socket.on('error', () => undefined),
      'close',
    )
  })
  const { failed, notes } = await rows(['first', 'hangs', 'last'], 60_000, interruption.signal, port)
  expect(failed).toEqual(['hangs'])
  expect(notes).toEqual([
    ['first', 'of first'],
    ['hangs', 'of hangs', 'not measured: it was interrupted'],
  ])
  await ended
})
