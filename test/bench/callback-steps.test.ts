import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callbackSteps } from '../../bench/callback-steps.ts'
import type { CallbackTimes } from '../../bench/floors/callback-times.ts'

const MOMENTS = [0, 250, 500, 750]
const FIRST_BYTE = 15

/** Job after job, a quarter of a second each. */
const TIMES: CallbackTimes = {
  reads: MOMENTS.map((moment) => ({ begun: moment, answered: moment + 1 })),
  writes: MOMENTS.map((moment) => ({ begun: moment + 3, answered: moment + 6 })),
  heads: MOMENTS.map((moment) => moment + 10),
}

async function stepsOf(times: CallbackTimes): Promise<Record<string, number>> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-steps-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, '1-0.json'), JSON.stringify(times))
  const arrivals = MOMENTS.map((moment) => moment + FIRST_BYTE)
  return Object.fromEntries((await callbackSteps(directory, arrivals)).map(({ what, value }) => [what, value]))
}

test('the steps of a callback are in microseconds, from the read of its job to its first byte', async () => {
  expect(Object.values(await stepsOf(TIMES))).toEqual([1000, 2000, 3000, 4000, 5000, 100])
})

test('a job that another statement ended is left out, and says so', async () => {
  const steps = await stepsOf({ ...TIMES, writes: TIMES.writes.slice(1) })
  expect(steps).toMatchObject({ 'deliveries of which all steps were seen': 75 })
  expect(await stepsOf({ ...TIMES, writes: [] })).toEqual({})
})
