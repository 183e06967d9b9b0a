import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'

// node packaging/try-package.ts sonant-tts-0.2.0.tgz: npm installs it on every Node.js that it is for, and it starts, speaks and stops.

/** Each with the npm that comes with it. */
const NODES = [
  ['20', '10.8'],
  ['22', '10.9'],
  ['24', '11'],
] as const
const PATIENCE_MS = 120_000
const POLL_MS = 100
const REQUEST = { inputs: { text: 'Hello! This is Sonant, speaking.', voice: 'aria' } }

type ServiceProcess = ChildProcessByStdio<null, Readable, null>

const tarball = resolve(process.argv[2] ?? '')
for (const [node, npm] of NODES) {
  const home = mkdtempSync(join(tmpdir(), `sonant-on-${node}-`))
  try {
    process.stdout.write(`${await tryOn(home, node, npm)}\n`)
  } finally {
    rmSync(home, { recursive: true })
  }
}

async function tryOn(home: string, node: string, npm: string): Promise<string> {
  const [tools, folder] = [join(home, 'tools'), join(home, 'empty')]
  for (const path of [tools, folder]) mkdirSync(path)
  run(tools, process.env.PATH, 'npm', 'install', '--prefix', tools, `node@${node}`, `npm@${npm}`)
  const path = `${join(tools, 'node_modules/.bin')}:${process.env.PATH}`
  const versions = `Node.js ${run(folder, path, 'node', '--version')}, npm ${run(folder, path, 'npm', '--version')}`
  const [, installMs] = await timed(async () => run(folder, path, 'npm', 'install', tarball))
  const version = run(folder, path, 'npx', 'sonant-tts', '--version')
  if (!tarball.endsWith(`sonant-tts-${version}.tgz`))
    throw new Error(`${versions}: ${tarball} says that it is ${version}`)
  const args = [join(folder, 'node_modules/.bin/sonant'), 'start']
  const env = { ...environment(path), DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'warn' }
  const service = spawn('node', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [{ url, key }, startMs] = await timed(() => started(service))
    const [bytes, speakMs] = await timed(() => speak(url, key))
    service.kill('SIGTERM')
    const [code] = await once(service, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (code !== 0) throw new Error(`${versions}: it ended with ${code}`)
    return `${versions}: installed in ${installMs} ms, started in ${startMs} ms, ${bytes} bytes spoken in ${speakMs} ms, ended with 0`
  } finally {
    service.kill('SIGKILL')
  }
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begin = performance.now()
  return [await work(), Math.round(performance.now() - begin)]
}

/** Reads URL and key from what the service prints at its first start. */
async function started({ stdout }: ServiceProcess): Promise<{ readonly url: string; readonly key: string }> {
  let text = ''
  // The pipe stays open: the service may have more to say.
  for await (const [chunk] of on(stdout, 'data', { close: ['end'], signal: AbortSignal.timeout(PATIENCE_MS) })) {
    text += chunk
    const [, url] = /listens on (\S+)/.exec(text) ?? []
    const [key] = /snt_\w+\b(?=\s)/.exec(text) ?? []
    if (url !== undefined && key !== undefined) return { url, key }
  }
  throw new Error(`it does not start: ${text}`)
}

/** @returns the bytes of the audio */
async function speak(url: string, key: string): Promise<number> {
  const api = `${url}/api/v1/voice`
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const submitted = await fetch(`${api}/tts`, { method: 'POST', headers, body: JSON.stringify(REQUEST), signal })
  const { job_id } = (await submitted.json()) as { job_id: string }
  for (;;) {
    const answer = await fetch(`${api}/jobs/${job_id}`, { headers, signal })
    const job = (await answer.json()) as { status: string; outputs?: { audio: string } }
    if (job.outputs !== undefined) return (await (await fetch(job.outputs.audio, { signal })).arrayBuffer()).byteLength
    if (job.status === 'failed') throw new Error(`its job failed: ${JSON.stringify(job)}`)
    await setTimeout(POLL_MS, undefined, { signal })
  }
}

function run(cwd: string, path: string | undefined, command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env: environment(path), encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`)
  return stdout.trim()
}

/** Without what an npm that runs this says to its scripts. */
function environment(path: string | undefined): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(registry|userconfig|cache)$)/.test(name))
  return { ...Object.fromEntries(own), PATH: path }
}
