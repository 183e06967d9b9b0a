import { spawn } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { writeWav } from '../../../src/audio/wav.ts'

// A speech and Cog server as a program of its own, for workers that own theirs: `scripted-server.ts PORT DIRECTORY`. The directory holds
// what it does: `hold`: it is not ready; `refuse`: it ends at its start. What it is asked to speak may say CRASH, HANG or LEAK.

const RATE = 24_000
const SECONDS_PER_CHARACTER = 0.06
const CRASH_CODE = 3
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

function hum(text: string): Buffer {
  const samples = new Int16Array(Math.round(Math.max(0.3, text.length * SECONDS_PER_CHARACTER) * RATE))
  for (let at = 0; at < samples.length; at++) samples[at] = Math.round(8000 * Math.sin(at / 20))
  return Buffer.from(writeWav(samples, RATE))
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.startsWith('/health')) return void response.writeHead(has('hold') ? 503 : 200).end()
  const body = JSON.parse((await buffer(request)).toString()) as { input: unknown }
  inFlight++
  response.once('close', () => inFlight--)
  if (request.url === '/predictions') {
    obey(JSON.stringify(body.input))
    const output = `data:text/plain;base64,${Buffer.from('drawn').toString('base64')}`
    return void response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ status: 'succeeded', output, metrics: { predict_time: 0.1 } }))
  }
  obey(String(body.input))
  while (has('slow') && !response.destroyed) await new Promise((resolve) => setTimeout(resolve, 20))
  response.setHeader('content-type', 'audio/wav').end(hum(String(body.input)))
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
