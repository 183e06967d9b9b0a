import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../http.ts'
import { until } from '../wait.ts'
import { installedProgram } from './installed-program.ts'

const TIMEOUT_MS = 60_000
const CELLS = fileURLToPath(new URL('../../../examples/cells', import.meta.url))
/** Leads to several speech servers. */
const SPEECH = fileURLToPath(new URL('../../../examples/haproxy/speech.cfg', import.meta.url))

export const haproxyProgram = installedProgram('haproxy')

const configOf = (port: number, primary: string, standby: string): string => `
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:${port}
  option pgsql-check user postgres
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
  server primary ${primary} check
  server standby ${standby} check backup
`

/** HAProxy itself, which leads to the primary, and to the standby once it finds that the primary is down. @returns its URL */
export async function startHaproxy(primaryUrl: string, standbyUrl: string) {
  const [port = 0] = await freePorts(1)
  const close = await run(port, configOf(port, new URL(primaryUrl).host, new URL(standbyUrl).host))
  const url = new URL(primaryUrl)
  url.port = String(port)
  return { url: url.href, close }
}

/**
 * The example for cells, without TLS.
 * @param port where it listens, on the loopback address
 * @param cells the address of each cell, by its letter
 */
export function startCellsProxy(
  port: number,
  cells: Readonly<Record<'a' | 'b', string>>,
): Promise<() => Promise<void>> {
  const config = readFileSync(join(CELLS, 'haproxy.cfg'), 'utf8')
    .replace(/maxconn .*/, 'maxconn 1000')
    .replace('bind :80\n', `bind 127.0.0.1:${port}\n`)
    .replace(/^ *(bind :443|http-request redirect) .*\n/gm, '')
    .replaceAll('/etc/haproxy/cells.map', join(CELLS, 'cells.map'))
    .replace('192.0.2.11:4000', new URL(cells.a).host)
    .replace('192.0.2.21:4000', new URL(cells.b).host)
  return run(port, config)
}

/** The example for speech servers, which are asked for their voices to see whether they live. */
export function startSpeechProxy(
  port: number,
  [first, second]: readonly [string, string],
): Promise<() => Promise<void>> {
  const config = readFileSync(SPEECH, 'utf8')
    .replace('bind 127.0.0.1:8090', `bind 127.0.0.1:${port}`)
    .replace('GET /health', 'GET /v1/audio/voices')
    .replace('192.0.2.31:8091', new URL(first).host)
    .replace('192.0.2.32:8091', new URL(second).host)
  return run(port, config)
}

async function run(port: number, text: string): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'sonant-haproxy-'))
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(config, text)
  const child = spawn(haproxyProgram ?? '', ['-db', '-q', '-f', config], { stdio: 'ignore' })
  const ready = () => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode} at its start`)
    return listens(port)
  }
  await until(ready, TIMEOUT_MS, 'HAProxy to listen')
  return async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
  })
