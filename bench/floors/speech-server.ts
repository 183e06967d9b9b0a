import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeWav } from '../../src/audio/wav.ts'

// A speech server that answers every text with the same second of a tone, after DELAY_MS; with SECONDS_PER_CHARACTER as long as its text.

const RATE = 8000
const delayMs = Number(process.env.DELAY_MS)
const secondsPerCharacter = Number(process.env.SECONDS_PER_CHARACTER ?? 0)
const tone = (seconds: number) => {
  const samples = Int16Array.from({ length: Math.round(RATE * seconds) }, (_, at) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 220 * at) / RATE)),
  )
  return Buffer.from(writeWav(samples, RATE))
}
const second = tone(1)

const server = createServer((request, reply) => {
  // Workers ask whether it is there.
  if (request.method !== 'POST') return reply.writeHead(404).end()
  const body: Buffer[] = []
  request.on('data', (piece: Buffer) => body.push(piece))
  request.on('end', () => {
    const text = secondsPerCharacter === 0 ? '' : String(JSON.parse(Buffer.concat(body).toString()).input)
    const wav = text === '' ? second : tone(text.length * secondsPerCharacter)
    const answer = () => reply.writeHead(200, { 'content-type': 'audio/wav' }).end(wav)
    if (delayMs === 0) answer()
    else setTimeout(answer, delayMs)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
