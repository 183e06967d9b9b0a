import { openEspeak } from '../../src/engines/espeak/espeak.ts'
import { openLog } from '../../src/values/log.ts'
import { SENTENCES, speechRequest } from '../sentences.ts'

// The embedded engine with THREADS threads that speak without a pause; ready once as many as there are threads have spoken everything.

const threads = Number(process.env.THREADS)
const engine = openEspeak({ threads, log: openLog('warn') })

async function speakAll(): Promise<void> {
  for (const sentence of SENTENCES) await engine.speak(speechRequest(sentence))
}

async function speakOn(): Promise<never> {
  for (;;) await speakAll()
}

await engine.warm()
await Promise.all(Array.from({ length: threads }, speakAll))
process.stdout.write('ready\n')
await Promise.all(Array.from({ length: threads }, speakOn))
