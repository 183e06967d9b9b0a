import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from '../../environment.ts'
import { figure, median, NO_GOAL, type Row } from '../../measure.ts'
import { MALLOC, residentMb } from '../../process.ts'

const SAMPLES = 30
const SAMPLE_EVERY_MS = 100

/**
 * A process with nothing but the embedded engine: from opening that to its first speech, which starts a thread and loads the engine there;
 * then resident memory while one of its threads speaks 200 mixed sentences over and over, and while two do.
 */
export const engineMemory: Row = {
  name: 'engine-memory',
  what: 'first speech of the embedded engine, and its memory for each thread that speaks',
  reach: NO_GOAL,
  run: async (environment) => {
    const [one, two]: [Engine[], Engine[]] = [[], []]
    for (let round = 0; round < (environment.quick ? 1 : 3); round++) {
      one.push(await engineWith(environment, 1))
      two.push(await engineWith(environment, 2))
    }
    const each = median(two.map(({ resident }, round) => resident - one[round]!.resident))
    const measures = [
      figure(
        'opened to first speech, process with one thread',
        'ms',
        median(one.map((engine) => engine.firstSpeechMs)),
      ),
      figure('process with one thread', 'MB', median(one.map((engine) => engine.resident))),
      figure('process with two threads', 'MB', median(two.map((engine) => engine.resident))),
      figure('the second thread', 'MB', each),
    ]
    return { name: 'engine-memory', measures, notes: [] }
  },
}

interface Engine {
  readonly firstSpeechMs: number
  /** Megabytes. */
  readonly resident: number
}

async function engineWith(environment: Environment, threads: number): Promise<Engine> {
  const engine = await environment.floor('engine-threads', { ...MALLOC, THREADS: String(threads) })
  const samples: number[] = []
  try {
    for (let sample = 0; sample < SAMPLES; sample++) {
      samples.push(residentMb(engine.pid))
      await wait(SAMPLE_EVERY_MS)
    }
  } finally {
    await engine.stop()
  }
  return { firstSpeechMs: Number(engine.line.split(' ')[1]), resident: median(samples) }
}
