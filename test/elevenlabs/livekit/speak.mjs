import { initializeLogger } from '@livekit/agents'
import { TTS as ElevenlabsTts } from '@livekit/agents-plugin-elevenlabs'
import { TTS as OpenaiTts } from '@livekit/agents-plugin-openai'

const TEXT = 'This is what agents say.'
const [url, apiKey] = process.argv.slice(2)
const baseURL = `${url}/v1`

initializeLogger({ pretty: false, level: 'silent' })

/** How long the speech is, in seconds. */
async function secondsOf(tts) {
  let seconds = 0
  for await (const { frame } of tts.synthesize(TEXT)) seconds += frame.samplesPerChannel / frame.sampleRate
  return seconds
}

/** The same of a text that comes word by word, over one WebSocket. */
async function streamedSecondsOf(tts) {
  const stream = tts.stream()
  for (const word of TEXT.split(/(?<= )/)) stream.pushText(word)
  stream.endInput()
  let seconds = 0
  for await (const part of stream) {
    if (typeof part === 'symbol') break
    seconds += part.frame.samplesPerChannel / part.frame.sampleRate
  }
  return seconds
}

const elevenlabs = new ElevenlabsTts({ apiKey, baseURL, voiceId: 'clara', model: 'eleven_turbo_v2_5' })
const openai = new OpenaiTts({ apiKey, baseURL, voice: 'ash', model: 'gpt-4o-mini-tts' })
const earlier = new OpenaiTts({ apiKey, baseURL, voice: 'ash', model: 'tts-1' })
const voices = await elevenlabs.listVoices()
console.log(
  JSON.stringify({
    voices: voices.map(({ id }) => id),
    elevenlabs: await secondsOf(elevenlabs),
    streamed: await streamedSecondsOf(elevenlabs),
    openai: await secondsOf(openai),
    earlier: await secondsOf(earlier),
  }),
)
process.exit(0)
