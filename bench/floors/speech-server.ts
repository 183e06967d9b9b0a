import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeWav } from '../../src/audio/wav.ts'

// A speech server that answers every request with the same second of a tone, after DELAY_MS.

const RATE = 8000
const delayMs = Number(process.env.DELAY_MS)
const samples = Int16Array.from({ length: RATE }, (_, at) =>
  Math.round(8000 * Math.sin((2 * Math.PI * 220 * at) / RATE)),
)
const wav = Buffer.from(writeWav(samples, RATE))

const server = createServer((request, reply) => {
  request.resume().on('end', () => {
    const answer = () => reply.writeHead(200, { 'content-type': 'audio/wav' }).end(wav)
    if (delayMs === 0) answer()
    else setTimeout(answer, delayMs)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
