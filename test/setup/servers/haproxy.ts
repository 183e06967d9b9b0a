import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../http.ts'
import { until } from '../wait.ts'
import { installedProgram } from './installed-program.ts'

const TIMEOUT_MS = 60_000

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
  const folder = mkdtempSync(join(tmpdir(), 'sonant-haproxy-'))
  const [port = 0] = await freePorts(1)
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(config, configOf(port, new URL(primaryUrl).host, new URL(standbyUrl).host))
  const child = spawn(haproxyProgram ?? '', ['-db', '-q', '-f', config], { stdio: 'ignore' })
  await until(() => listens(port), TIMEOUT_MS, 'HAProxy to listen')
  const url = new URL(primaryUrl)
  url.port = String(port)
  return {
    url: url.href,
    close: async () => {
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
  })
