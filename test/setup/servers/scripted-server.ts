import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { writeWav } from '../../../src/audio/wav.ts'

// A speech and Cog server as a program of its own, for workers that own theirs: `scripted-server.ts PORT DIRECTORY`. The directory holds
// what it does: `hold`: it is not ready; `refuse`: it ends at its start; `paced`: an answer takes 200 ms; `unavailable`, `broken`, `stuck`, `mute`,
// `rude`, `full`: it answers 503, 500, never, with silence, by hanging up or 429, though it is ready; `cured`: it does so no longer once it was
// started again. What it is asked to speak may say CRASH, HANG, LEAK, BREAK or MUTE.

const RATE = 24_000
const SECONDS_PER_CHARACTER = 0.06
const CRASH_CODE = 3
const PACED_MS = 200
const [port = '', directory = ''] = process.argv.slice(2)
const has = (name: string): boolean => existsSync(join(directory, name))
let inFlight = 0

/** A process in a session of its own, which its server leaves behind. */
function leak(): void {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 600_000)'], {
    detached: true,
    stdio: 'ignore',
  })
  appendFileSync(join(directory, 'leaked'), `${child.pid}\n`)
  child.unref()
}

function crash(text: string): never {
  process.stderr.write(`loading\rloaded\nspeaking: ${text}\nOutOfMemoryError: no memory is left on GPU 0\n`)
  process.exit(CRASH_CODE)
}

function obey(text: string): void {
  appendFileSync(join(directory, 'asked'), `${process.pid} ${inFlight} ${text.slice(0, 20)}\n`)
  if (text.includes('LEAK')) leak()
  if (text.includes('CRASH') || text.includes('LEAK')) crash(text)
  if (text.includes('HANG')) for (;;);
}

function hum(text: string, peak = 8000): Buffer {
  const samples = new Int16Array(Math.round(Math.max(0.3, text.length * SECONDS_PER_CHARACTER) * RATE))
  for (let at = 0; at < samples.length; at++) samples[at] = Math.round(peak * Math.sin(at / 20))
  return Buffer.from(writeWav(samples, RATE))
}

const isUnwell = (name: string): boolean => has(name) && !(has('cured') && starts() > 1)
const starts = (): number => readFileSync(join(directory, 'starts'), 'utf8').trimEnd().split('\n').length

function statusFor(input: string): number {
  if (isUnwell('unavailable')) return 503
  if (isUnwell('full')) return 429
  return isUnwell('broken') || input.includes('BREAK') ? 500 : 200
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.startsWith('/health')) return void response.writeHead(has('hold') ? 503 : 200).end()
  const body = JSON.parse((await buffer(request)).toString()) as { input: unknown }
  inFlight++
  response.once('close', () => inFlight--)
  const status = statusFor(String(body.input))
  if (isUnwell('rude')) return void response.destroy()
  if (status !== 200) appendFileSync(join(directory, 'asked'), `${process.pid} ${inFlight} ${status}\n`)
  if (status !== 200) return void response.writeHead(status).end(JSON.stringify({ detail: 'CUDA error' }))
  if (request.url === '/predictions') {
    obey(JSON.stringify(body.input))
    const output = `data:text/plain;base64,${Buffer.from('drawn').toString('base64')}`
    return void response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ status: 'succeeded', output, metrics: { predict_time: 0.1 } }))
  }
  obey(String(body.input))
  if (has('paced')) await new Promise((resolve) => setTimeout(resolve, PACED_MS))
  while (has('slow') && !response.destroyed) await new Promise((resolve) => setTimeout(resolve, 20))
  while (isUnwell('stuck') && !response.destroyed) await new Promise((resolve) => setTimeout(resolve, 20))
  const isMute = isUnwell('mute') || String(body.input).includes('MUTE')
  response.setHeader('content-type', 'audio/wav').end(hum(String(body.input), isMute ? 0 : undefined))
}

const { CUDA_VISIBLE_DEVICES: gpus = 'all', SECRET_KEY: secret = 'none', MODEL_TOKEN: token = '' } = process.env
appendFileSync(join(directory, 'starts'), `${process.pid} ${port} ${gpus} ${secret}\n`)
if (has('refuse')) {
  process.stderr.write(`the model is not there (${token})\n`)
  process.exit(1)
}
createServer((request, response) => void answer(request, response).catch(() => response.destroy())).listen(
  Number(port),
  '127.0.0.1',
)
