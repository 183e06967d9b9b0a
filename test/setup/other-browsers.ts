import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import WebSocket from 'ws'
import { until } from './wait.ts'

const START_MS = 60_000

/** A browser with one page. */
export interface OtherBrowser {
  open(url: string): Promise<void>
  /** @param expression its value, or what its promise resolves to, comes as JSON */
  read<Value>(expression: string): Promise<Value>
  close(): Promise<void>
}

interface Engine {
  readonly name: string
  /** Null: it is installed. */
  readonly missing: () => string | null
  readonly open: () => Promise<OtherBrowser>
}

const found = (...names: string[]): string | null =>
  names
    .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path)) ?? null

/** Browsers with other engines than Chromium's. */
export const OTHER_ENGINES: readonly Engine[] = [
  {
    name: 'Firefox',
    missing: () => (found('firefox-esr', 'firefox') === null ? 'install firefox-esr' : null),
    open: openFirefox,
  },
  {
    name: 'WebKit',
    missing: () =>
      found('WebKitWebDriver') === null || found('Xvfb') === null ? 'install webkit2gtk-driver and xvfb' : null,
    open: openWebKit,
  },
]

/** Firefox speaks WebDriver BiDi by itself. */
async function openFirefox(): Promise<OtherBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'sonant-firefox-'))
  const flags = ['--headless', '--remote-debugging-port=0', '--profile', profile]
  const child = spawn(found('firefox-esr', 'firefox') ?? '', flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  const address = await lineOf(child, 'stderr', /listening on (ws:\S+)/)
  const socket = new WebSocket(`${address}/session`)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const answers = new Map<number, (answer: BidiAnswer) => void>()
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data)) as BidiAnswer
    answers.get(answer.id ?? 0)?.(answer)
  })
  let sent = 0
  const command = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++sent
    const { promise, resolve } = Promise.withResolvers<BidiAnswer>()
    answers.set(id, resolve)
    socket.send(JSON.stringify({ id, method, params }))
    const { result, message } = await promise
    if (result === undefined) throw new Error(`${method}: ${message}`)
    return result
  }
  await command('session.new', { capabilities: {} })
  const { contexts } = (await command('browsingContext.getTree', {})) as { contexts?: { context: string }[] }
  const context = contexts?.[0]?.context ?? ''
  return {
    open: async (url) => void (await command('browsingContext.navigate', { context, url, wait: 'complete' })),
    read: async <Value>(expression: string) => {
      const asked = { expression: asJson(expression), target: { context }, awaitPromise: true }
      const { result, exceptionDetails } = (await command('script.evaluate', asked)) as unknown as Evaluated
      if (result === undefined) throw new Error(exceptionDetails?.text)
      return JSON.parse(result.value) as Value
    },
    close: async () => {
      socket.close()
      await ended(child)
      await rm(profile, { recursive: true, force: true })
    },
  }
}

interface BidiAnswer {
  readonly id?: number
  readonly result?: Record<string, unknown>
  readonly message?: string
}

interface Evaluated {
  readonly result?: { readonly value: string }
  readonly exceptionDetails?: { readonly text: string }
}

/** WebKitGTK has a driver for classic WebDriver, and draws on a display. */
async function openWebKit(): Promise<OtherBrowser> {
  const flags = ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp']
  const display = spawn(found('Xvfb') ?? '', flags, { stdio: ['ignore', 'pipe', 'ignore'] })
  const screen = await lineOf(display, 'stdout', /^(\d+)$/)
  const port = await freePort()
  const env = { ...process.env, DISPLAY: `:${screen}`, GDK_BACKEND: 'x11' }
  const driver = spawn(found('WebKitWebDriver') ?? '', [`--port=${port}`], { env, stdio: 'ignore' })
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? { method: 'DELETE' } : { method: 'POST', headers, body: JSON.stringify(body) }
    const reply = await fetch(`http://127.0.0.1:${port}/session${path}`, sent)
    const { value } = (await reply.json()) as { value: unknown }
    if (!reply.ok) throw new Error(`${path}: ${JSON.stringify(value)}`)
    return value
  }
  const begin = () => ask('', { capabilities: {} }).catch((error) => (driver.exitCode === null ? undefined : error))
  const { sessionId } = (await until(begin, START_MS, 'WebKit')) as { sessionId: string }
  return {
    open: async (url) => void (await ask(`/${sessionId}/url`, { url })),
    read: async <Value>(expression: string) => {
      const script = `const done = arguments[0]; ${asJson(expression)}.then(done, (error) => done('!' + error))`
      const answer = (await ask(`/${sessionId}/execute/async`, { script, args: [] })) as string
      if (answer.startsWith('!')) throw new Error(answer)
      return JSON.parse(answer) as Value
    },
    close: async () => {
      await ask(`/${sessionId}`)
      await ended(driver)
      await ended(display)
    },
  }
}

const asJson = (expression: string): string => `(async () => JSON.stringify(await (${expression})))()`

/** The part of a line that a process writes. */
function lineOf(child: ChildProcess, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const lines = createInterface({ input: child[stream]! })
  lines.on('line', (line) => {
    const [, part] = pattern.exec(line) ?? []
    if (part !== undefined) resolve(part)
  })
  child.once('error', reject).once('exit', (code) => reject(new Error(`${child.spawnfile} ended with ${code}`)))
  return promise
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const { promise, resolve } = Promise.withResolvers<void>()
  child.once('exit', () => resolve())
  child.kill()
  await promise
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
