import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { GpuWatch, listGpus } from '../../src/worker/watch-gpus.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000

describe('the watch over graphics cards', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sonant-watch-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  /** Replaced as a whole: a program that is being written cannot be run. */
  const put = async (script: string) => {
    const path = join(directory, 'next')
    await writeFile(path, `#!/bin/sh\necho . >> ${directory}/asked\n${script}\n`)
    await chmod(path, 0o755)
    await rename(path, join(directory, 'nvidia-smi'))
  }
  const asked = async () => (await readFile(join(directory, 'asked'), 'utf8').catch(() => '')).length
  const watch = (only: readonly number[] | null = null) => {
    const gpus = new GpuWatch(only, { program: join(directory, 'nvidia-smi'), periodMs: 10 })
    onTestFinished(() => gpus.end())
    gpus.start()
    return gpus
  }
  const shows = (gpus: GpuWatch, what: string, holds: (current: GpuWatch['current']) => boolean) =>
    until(() => holds(gpus.current), TIMEOUT_MS, what)

  test('goes on when the driver has not answered, and shows no number meanwhile that it once told', async () => {
    await put('exit 9')
    const gpus = watch()
    const before = await asked()
    await until(async () => (await asked()) > before + 4, TIMEOUT_MS, 'a driver that fails to be asked again')
    await put('echo "0, NVIDIA L4, 23034, 18012, 40"')
    await shows(gpus, 'the card', ([card]) => card?.loadPercent === 40)
    await put('echo "Unable to determine the device handle: GPU is lost"; exit 15')
    await shows(gpus, 'a card of which nothing is known', ([card]) => card?.loadPercent === null)
    expect(gpus.current).toEqual([{ name: 'NVIDIA L4', memoryMib: 23034, memoryUsedMib: null, loadPercent: null }])
    await put('echo "0, NVIDIA L4, 23034, 100, 0"')
    await shows(gpus, 'the card again', ([card]) => card?.memoryUsedMib === 100)
  })

  test('counts the cards whose numbers it was given, whatever the driver cannot tell of others', async () => {
    await put('printf "0, NVIDIA GB10, [N/A], [N/A], 7\\n1, NVIDIA L4, 23034, 1, 2\\n2, NVIDIA T4, 15360, 3, 4\\n"')
    const gpus = watch([1])
    await shows(gpus, 'one card', ({ length }) => length > 0)
    expect(gpus.current.map(({ name }) => name)).toEqual(['NVIDIA L4'])
  })

  test('ends where there is no nvidia-smi', async () => {
    const program = join(directory, 'nvidia-smi')
    await rm(program, { force: true })
    const gpus = watch()
    for (const _time of [1, 2, 3]) expect(await listGpus(program)).toBe('missing')
    await put('echo "0, NVIDIA L4, 23034, 18012, 40"')
    const other = watch()
    const before = await asked()
    await shows(other, 'the card', ({ length }) => length > 0)
    await until(async () => (await asked()) > before + 8, TIMEOUT_MS, 'the program to be asked again and again')
    expect(gpus.current).toEqual([])
  })
})
