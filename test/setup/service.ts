import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = join(ROOT, 'src/main.ts')
const START_DEADLINE_MS = 40_000
const STOP_DEADLINE_MS = 20_000
const COMMAND_DEADLINE_MS = 60_000
const KEY = /snt_[0-9A-Za-z]{42}/

export type Ran = { code: number; stdout: string; stderr: string }
export type Env = Record<string, string | undefined>
type StartOptions = { env?: Env; dataDir?: string; port?: number; awaitKey?: boolean }
type Outcome = { outputs?: { audio: string }; error?: string; error_code?: string }
export type VoiceJob = { job_id: string; status: string; created_at: string; completed_at: string | null } & Outcome
export type Call = { method?: string; key?: string; headers?: Record<string, string>; body?: unknown; type?: string }
export type Reply = { status: number; headers: Record<string, string>; bytes: Buffer; text: string; json: <T>() => T }
export type Service = Awaited<ReturnType<typeof startService>>

const processes = new Set<ChildProcess>()
const directories = new Set<string>()

/** A new directory below the system's temporary one, readable by the user that PostgreSQL runs as; cleanUp removes it. */
export const makeTempDir = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-'))
  directories.add(directory)
  await chmod(directory, 0o755)
  return directory
}

/** Ends every process started here and removes every directory made here: for afterAll. */
export const cleanUp = async (): Promise<void> => {
  for (const child of processes) child.kill('SIGKILL')
  for (const directory of directories) {
    await until(() => processesOf(directory).every((pid) => !quit(pid)), STOP_DEADLINE_MS, 'PostgreSQL to end')
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    directories.delete(directory)
  }
}

const quit = (pid: number): boolean => spawnSync('sh', ['-c', `kill -QUIT ${pid}`]).status === 0

/** Ids of the processes whose command line names the directory (Linux only; elsewhere none). */
export const processesOf = (directory: string): number[] => {
  const entries = existsSync('/proc') ? readdirSync('/proc') : []
  return entries.filter((pid) => commandLineOf(pid).includes(directory)).map(Number)
}

const commandLineOf = (pid: string): string => {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
  } catch {
    return ''
  }
}

/** Polls with a growing interval until the condition gives something truthy; throws after the deadline. */
export const until = async <T>(condition: () => T | Promise<T>, deadlineMs: number, what: string) => {
  const deadline = performance.now() + deadlineMs
  for (let wait = 10; ; wait = Math.min(wait * 1.5, 500)) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms for ${what}`)
    await pause(wait)
  }
}

/** Ports that were free a moment ago, all different. */
export const freePorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** Nothing of the test's own environment but what a shell gives: no NODE_OPTIONS, no DATABASE_URL. */
const environment = (env: Env): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR, LANG } = process.env
  const all = { PATH, HOME, TMPDIR, LANG, HOST: '127.0.0.1', ...env }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Runs the command line once, to its end. */
export const run = (args: string[], env: Env): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { env: environment(env), cwd: ROOT, timeout: COMMAND_DEADLINE_MS, killSignal: 'SIGKILL' } as const
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) || 1 : 0, stdout, stderr }),
    )
  })

/** Runs a command with --json; its whole stdout must be one JSON document. */
export const sonantOn = async <T = Record<string, unknown>>(env: Env, ...args: string[]): Promise<T> => {
  const { code, stdout, stderr } = await run([...args, '--json'], env)
  if (code !== 0) throw new Error(`sonant ${args.slice(0, 2).join(' ')} exited with ${code}: ${stderr}`)
  return JSON.parse(stdout) as T
}

/** The service as a second process, on a directory and a port of its own, ready when this returns. */
export const startService = async (options: StartOptions = {}) => {
  const dataDir = options.dataDir ?? join(await makeTempDir(), 'data')
  const port = options.port ?? (await freePorts(1))[0]!
  const awaitCurl = options.awaitKey ?? !existsSync(dataDir)
  const env: Env = { DATA_DIR: dataDir, PORT: String(port), ...options.env }
  const url = `http://127.0.0.1:${port}`
  const started = launch(env)
  const ready = async () => {
    if (!started.runs()) throw new Error(`the service ended at its start: ${started.stderr()}${started.stdout()}`)
    const answer = await call(`${url}/health/ready`).catch(() => undefined)
    return answer?.status === 200 && (!awaitCurl || findCurl(started.stdout()) !== '')
  }
  await until(ready, START_DEADLINE_MS, 'the service to be ready')
  const key = KEY.exec(started.stdout())?.[0] ?? ''
  const sonant = <T = Record<string, unknown>>(...args: string[]) => sonantOn<T>(env, ...args)
  return { ...started, url, port, dataDir, env, key, curl: findCurl(started.stdout()), sonant }
}

const launch = (env: Env) => {
  const child = spawn(process.execPath, [MAIN, 'start'], { env: environment(env), cwd: ROOT })
  let [stdout, stderr] = ['', '']
  processes.add(child)
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  // Not 'close': after SIGKILL a surviving PostgreSQL may hold the pipes open.
  child.once('exit', () => processes.delete(child))
  const runs = () => processes.has(child)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await until(() => !runs(), STOP_DEADLINE_MS, `the service to end after ${signal}`)
    return child.exitCode
  }
  return { pid: child.pid!, runs, stop, kill9: () => stop('SIGKILL'), stdout: () => stdout, stderr: () => stderr }
}

/** The curl command among printed lines, with the lines that a backslash or an open quote continues. */
const findCurl = (output: string): string => {
  const lines = output.slice(0, output.lastIndexOf('\n') + 1).split('\n')
  const first = lines.findIndex((line) => /^\s*(\$ )?curl /.test(line))
  if (first < 0) return ''
  for (let last = first; last < lines.length - 1; last++) {
    const command = lines.slice(first, last + 1).join('\n')
    if (!command.endsWith('\\') && command.split("'").length % 2 === 1) return command.replace(/^\s*(\$ )?/, '')
  }
  return ''
}

/** A small endpoint of the embedded engine, as an endpoint file holds it. */
export const endpoint = (slug: string, changes: object = {}) => {
  const properties = { text: { type: 'string', minLength: 1, maxLength: 500 }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  const voices = [{ slug: 'calm', name: 'Calm', description: 'A voice.', kind: 'preset', engine_voice: 'en-us+f3' }]
  const fixed = { published: true, required_scope: null, voice_input: 'voice', engine: { kind: 'espeak' } }
  const limits = { time_limit_seconds: 60, credits_per_character: 1, response_fields: ['created_at', 'completed_at'] }
  return { slug, name: slug, description: 'Made by a test.', ...fixed, ...limits, inputs, voices, ...changes }
}

/** One HTTP exchange. A body that is no string or Buffer goes out as JSON. */
export const call = async (url: string, { method = 'GET', key, headers, body, type }: Call = {}): Promise<Reply> => {
  const payload = body === undefined || typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body)
  const sent: Record<string, string> = { ...headers }
  if (key !== undefined) sent.authorization = `Bearer ${key}`
  if (payload !== undefined && type !== 'none') sent['content-type'] = type ?? 'application/json'
  const reply = await request(url, { method, headers: sent, body: payload ?? null })
  const bytes = Buffer.from(await reply.body.arrayBuffer())
  const received = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]))
  const text = bytes.toString()
  return { status: reply.statusCode, headers: received, bytes, text, json: <T>() => JSON.parse(text) as T }
}

/** Polls a voice job until it is completed or failed. */
export const finishedJob = (url: string, key: string, jobId: string, deadlineMs = 60_000): Promise<VoiceJob> => {
  const poll = async () => {
    const job = (await call(`${url}/api/v1/voice/jobs/${jobId}`, { key })).json<VoiceJob>()
    return job.status === 'completed' || job.status === 'failed' ? job : undefined
  }
  return until(poll, deadlineMs, `job ${jobId} to finish`) as Promise<VoiceJob>
}

/** Reads a canonical 16-bit WAV; throws when the bytes are anything else. */
export const readWav = (bytes: Buffer) => {
  if (!/^RIFF.{4}WAVEfmt /s.test(bytes.toString('latin1', 0, 16))) throw new Error('no WAV')
  const [format, channels, bits] = [20, 22, 34].map((at) => bytes.readUInt16LE(at)) as [number, number, number]
  const rate = bytes.readUInt32LE(24)
  const data = bytes.indexOf('data', 12, 'latin1')
  const size = bytes.readUInt32LE(data + 4)
  let peak = 0
  for (let at = data + 8; at + 1 < bytes.length; at += 2) peak = Math.max(peak, Math.abs(bytes.readInt16LE(at)))
  const whole = bytes.readUInt32LE(4) === bytes.length - 8 && data + 8 + size === bytes.length
  return { format, channels, rate, bits, peak, whole, durationMs: (size / (rate * channels * (bits / 8))) * 1000 }
}
