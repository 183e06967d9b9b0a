import type { Language } from '../../src/engines/espeak/detect-language.ts'
import { openPhonemes } from './phonemes.ts'

// Reads a sentence as the first one of a process, then speaks it by the bare engine. Prints the processor's
// milliseconds of both.

const [, , language, text] = process.argv as unknown as [string, string, Language, string]
const { read } = await import('../../src/reading/read.ts')
const reading = await processorMs(() => read(text, language))
const engine = await processorMs(async () => (await openPhonemes())(text, language))
process.stdout.write(JSON.stringify({ reading, engine }))

async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
