import { availableParallelism } from 'node:os'
import { durationMs } from '../src/audio/wav.ts'
import { LANGUAGES } from '../src/engines/espeak/detect-language.ts'
import { openEspeak } from '../src/engines/espeak/espeak.ts'
import { openLog } from '../src/values/log.ts'
import { SENTENCE_SECONDS } from '../src/voice/estimate-speech.ts'
import { SENTENCES, speechRequest } from './sentences.ts'

// Prints the seconds per letter that src/voice/estimate-speech.ts holds: the embedded engine speaks the sentences without digits.

const engine = openEspeak({ threads: availableParallelism(), log: openLog('warn') })
for (const language of LANGUAGES) {
  let [seconds, letters] = [0, 0]
  for (const sentence of SENTENCES.filter((one) => one.language === language && !/\d/.test(one.text))) {
    const { audio } = await engine.speak(speechRequest(sentence))
    seconds += durationMs(audio) / 1000 - SENTENCE_SECONDS
    letters += sentence.text.match(/\p{L}/gu)?.length ?? 0
  }
  process.stdout.write(`  ${language}: ${(seconds / letters).toFixed(3)},\n`)
}
await engine.close()
