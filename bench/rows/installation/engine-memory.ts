import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from '../../environment.ts'
import { figure, median, NO_GOAL, type Row } from '../../measure.ts'
import { MALLOC, residentMb } from '../../process.ts'

const SAMPLES = 30
const SAMPLE_EVERY_MS = 100

/** A process with nothing but the embedded engine, while one of its threads speaks 200 mixed sentences over and over, and while two do. */
export const engineMemory: Row = {
  name: 'engine-memory',
  what: 'resident memory of the embedded engine for each thread that speaks',
  reach: NO_GOAL,
  run: async (environment) => {
    const [one, two]: [number[], number[]] = [[], []]
    for (let round = 0; round < (environment.quick ? 1 : 3); round++) {
      one.push(await residentWith(environment, 1))
      two.push(await residentWith(environment, 2))
    }
    const each = median(two.map((resident, round) => resident - one[round]!))
    const measures = [
      figure('1 thread', 'MB', median(one)),
      figure('2 threads', 'MB', median(two)),
      figure('the second thread', 'MB', each),
    ]
    return { name: 'engine-memory', measures, notes: [] }
  },
}

async function residentWith(environment: Environment, threads: number): Promise<number> {
  const engine = await environment.floor('engine-threads', { ...MALLOC, THREADS: String(threads) })
  const samples: number[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    samples.push(residentMb(engine.pid))
    await wait(SAMPLE_EVERY_MS)
  }
  await engine.stop()
  return median(samples)
}
