import { execFile } from 'node:child_process'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openEspeak } from '../../src/engines/espeak/espeak.ts'
import { styleToProsody } from '../../src/engines/espeak/espeak-style.ts'
import { openLog } from '../../src/values/log.ts'
import { GOALS } from '../goals.ts'
import { interleaved, median, type Row, throughput } from '../measure.ts'
import { SENTENCES, type Sentence, speechRequest } from '../sentences.ts'

const run = promisify(execFile)
const BYTES_PER_SECOND = 22_050 * 2
const WAV_HEADER_BYTES = 44
const { rate: LEAST } = GOALS.render

/**
 * Seconds of audio per second over 200 sentences in ten languages, through the engine interface with a warm thread per core. The floor
 * is the `espeak-ng` program with the same texts, voices, rates and pitches, one process per text and as many at a time as there
 * are cores, started by xargs.
 */
export const render: Row = {
  name: 'render',
  what: 'audio seconds per second, all cores, 200 mixed sentences',
  reach: `>= ${LEAST} of the espeak-ng program`,
  run: async (environment) => {
    const engine = openEspeak({ threads: availableParallelism(), log: openLog('warn') })
    try {
      await engine.warm()
      const ours = () =>
        audioRate(async () => {
          const speeches = await Promise.all(SENTENCES.map((sentence) => engine.speak(speechRequest(sentence))))
          return speeches.reduce((sum, { audio }) => sum + audio.samples.byteLength, 0)
        })
      await ours()
      const rounds = environment.quick ? 3 : 7
      if (!(await hasProgram())) return withoutFloor(await interleaved(rounds, { ours, floor: async () => 1 }))
      const directory = await environment.directory()
      const commands = await commandLines(directory)
      const floor = () => audioRate(() => runProgram(directory, commands))
      const pairs = await interleaved(rounds, { ours, floor })
      return { name: 'render', measures: [throughput('all cores', 's/s', pairs, LEAST)], notes: [] }
    } finally {
      await engine.close()
    }
  },
}

function withoutFloor(pairs: readonly { ours: number }[]) {
  const value = median(pairs.map(({ ours }) => ours))
  const measure = {
    what: 'all cores',
    unit: 's/s',
    floor: null,
    value,
    ratio: null,
    reach: `>= ${LEAST} x floor`,
    reached: null,
  }
  return { name: 'render', measures: [measure], notes: ['floor absent: install espeak-ng'] }
}

/** @param work gives the bytes of samples that it made */
async function audioRate(work: () => Promise<number>): Promise<number> {
  const started = performance.now()
  const bytes = await work()
  return bytes / BYTES_PER_SECOND / ((performance.now() - started) / 1000)
}

const hasProgram = () =>
  run('espeak-ng', ['--version']).then(
    () => true,
    () => false,
  )

/** One text a line; xargs gives each line to a process of its own. */
async function commandLines(directory: string): Promise<string> {
  const { rate, pitch, volume } = styleToProsody(undefined, undefined)
  const lines = SENTENCES.map(async ({ text, voice }: Sentence, index) => {
    const file = join(directory, `${index}`)
    await writeFile(`${file}.txt`, text)
    return ['-v', voice, '-s', rate, '-p', pitch, '-a', volume, '-f', `${file}.txt`, '-w', `${file}.wav`].join(' ')
  })
  return (await Promise.all(lines)).join('\n')
}

/** Six options with their values. */
const WORDS_A_LINE = 12

async function runProgram(directory: string, commands: string): Promise<number> {
  const program = ['-P', String(availableParallelism()), '-n', String(WORDS_A_LINE), 'espeak-ng']
  const running = run('xargs', program)
  running.child.stdin?.end(commands)
  await running
  const wavs = (await readdir(directory)).filter((name) => name.endsWith('.wav'))
  const sizes = await Promise.all(wavs.map(async (name) => (await stat(join(directory, name))).size - WAV_HEADER_BYTES))
  return sizes.reduce((sum, size) => sum + size, 0)
}
