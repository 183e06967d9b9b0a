import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/server/listen.ts'

const CONNECTIONS = 1000
/** A dropped one would be tried again after a second, without success. */
const TIMEOUT_MS = 60_000
/** Prints how many connections were taken. */
const CONNECT = `
  const [port, count, timeoutMs] = process.argv.slice(1).map(Number)
  let taken = 0
  const end = () => { console.log(taken); process.exit() }
  setTimeout(end, timeoutMs)
  for (let n = 0; n < count; n++) {
    require('node:net').connect(port, '127.0.0.1', () => ++taken === count && end()).on('error', () => undefined)
  }`
const LIMIT = '/proc/sys/net/core/somaxconn'

function kernelTakes(): number {
  try {
    return Number(readFileSync(LIMIT, 'utf8'))
  } catch {
    return 0
  }
}

// A kernel that keeps fewer says so.
test.runIf(kernelTakes() >= CONNECTIONS)(
  'a thousand clients connect while the process is busy with something else',
  async () => {
    const app = fastify()
    onTestFinished(() => app.close())
    await listen(app, { host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    // Nothing is accepted in this process until it ends.
    const { stdout } = spawnSync(process.execPath, ['-e', CONNECT, ...[port, CONNECTIONS, TIMEOUT_MS].map(String)])
    expect(Number(stdout)).toBe(CONNECTIONS)
  },
)
