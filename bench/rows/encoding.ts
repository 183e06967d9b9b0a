import { AudioThreads } from '../../src/audio/audio-threads.ts'
import { openEncoders } from '../floors/encoders.ts'
import { GOALS } from '../goals.ts'
import { interleaved, type Measure, type Row, throughput } from '../measure.ts'

const FORMATS = ['mp3', 'opus', 'flac'] as const
const RATE = 22_050
const SECONDS = 30
const BLOCK_SAMPLES = 65_536
const { rate: LEAST } = GOALS.encoding

/** Seconds of audio per second of processor time that a thread encodes bit by bit. The floor is the libraries alone, called once for all of it. */
export const encoding: Row = {
  name: 'encoding',
  what: 'seconds of audio per CPU second',
  reach: `>= ${LEAST} of the libraries alone`,
  run: async (environment) => {
    const threads = new AudioThreads(1)
    const alone = await openEncoders(RATE)
    const measures: Measure[] = []
    try {
      await threads.warm()
      for (const format of FORMATS) {
        const ours = () =>
          rateOf(async () => {
            const encoder = threads.startEncoder({ format, sampleRate: RATE })
            for (const block of blocks()) await encoder.push(block)
            await encoder.end()
          })
        const floor = () => rateOf(async () => alone[format](recording))
        await ours()
        await floor()
        measures.push(throughput(format, 's/s', await interleaved(environment.quick ? 3 : 7, { ours, floor }), LEAST))
      }
    } finally {
      await threads.close()
    }
    return { name: 'encoding', measures, notes: [] }
  },
}

/** Counts the whole process: the thread's work and its handing-over. */
async function rateOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return SECONDS / ((user + system) / 1e6)
}

const recording = Int16Array.from({ length: RATE * SECONDS }, (_, at) =>
  Math.round(6000 * Math.sin(at / 9) * Math.sin(at / 4000) + 2000 * Math.sin(at / 31)),
)

function* blocks(): Generator<Int16Array> {
  for (let at = 0; at < recording.length; at += BLOCK_SAMPLES) yield recording.subarray(at, at + BLOCK_SAMPLES)
}
