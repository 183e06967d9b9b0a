import { openEspeak } from '../../src/engines/espeak/espeak.ts'
import { openLog } from '../../src/values/log.ts'
import { SENTENCES, speechRequest } from '../sentences.ts'

// The embedded engine with THREADS threads that speak without a pause until the process that started this one has ended; ready once as many as
// there are threads have spoken everything, with the milliseconds from opening the engine to its first speech.

const PARENT_CHECK_MS = 1_000

const [threads, parent] = [Number(process.env.THREADS), process.ppid]
setInterval(() => {
  if (process.ppid !== parent) process.exit()
}, PARENT_CHECK_MS)
const opened = performance.now()
const engine = openEspeak({ threads, log: openLog('warn') })

async function speakAll(): Promise<void> {
  for (const sentence of SENTENCES) await engine.speak(speechRequest(sentence))
}

async function speakOn(): Promise<never> {
  for (;;) await speakAll()
}

await engine.speak(speechRequest(SENTENCES[0]!))
const firstSpeechMs = performance.now() - opened
await engine.warm()
await Promise.all(Array.from({ length: threads }, speakAll))
process.stdout.write(`ready ${firstSpeechMs}\n`)
await Promise.all(Array.from({ length: threads }, speakOn))
