// Speaks what comes on standard input while it is still written, and writes raw audio to standard output: mono, 16 bits, 24 kHz.
//
//   ollama run llama3.2 "Tell me a story" | SONANT_KEY=snt_… node live-speech.mjs | ffplay -f s16le -ar 24000 -nodisp -autoexit -

const { SONANT_URL = 'http://127.0.0.1:4000', SONANT_KEY, VOICE = 'clara' } = process.env

const path = `/v1/text-to-speech/${encodeURIComponent(VOICE)}/stream-input?output_format=pcm_24000&inactivity_timeout=180`
const socket = new WebSocket(new URL(path, SONANT_URL.replace(/^http/, 'ws')))
const send = (message) => socket.send(JSON.stringify(message))

socket.addEventListener('open', async () => {
  send({ text: ' ', xi_api_key: SONANT_KEY })
  process.stdin.setEncoding('utf8')
  for await (const text of process.stdin) send({ text })
  send({ text: '' })
})
socket.addEventListener('message', ({ data }) => {
  const { audio, error, message } = JSON.parse(data)
  if (audio) process.stdout.write(Buffer.from(audio, 'base64'))
  if (error) console.error(`${error}: ${message}`)
})
socket.addEventListener('close', ({ code }) => {
  if (code !== 1000) process.exit(1)
})
