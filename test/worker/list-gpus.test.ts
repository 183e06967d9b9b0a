import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listGpus, parseGpus } from '../../src/worker/watch-gpus.ts'

test('graphics cards have the numbers and names that nvidia-smi prints, and what it cannot tell moves none of them', () => {
  const printed = [
    '0, NVIDIA GB10, [N/A], [N/A], 7',
    '1, NVIDIA L4, 23034, 18012, 40',
    'No devices were found',
    '3, NVIDIA A100-SXM4-80GB, 81920, [N/A], [N/A]',
  ]
  expect(parseGpus(`${printed.join('\n')}\n`)).toEqual(
    new Map([
      [0, { name: 'NVIDIA GB10', memoryMib: 0, memoryUsedMib: null, loadPercent: 7 }],
      [1, { name: 'NVIDIA L4', memoryMib: 23034, memoryUsedMib: 18012, loadPercent: 40 }],
      [3, { name: 'NVIDIA A100-SXM4-80GB', memoryMib: 81920, memoryUsedMib: null, loadPercent: null }],
    ]),
  )
})

test('an nvidia-smi that fails or hangs is another matter than none', { timeout: 50_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-smi-'))
  const program = async (name: string, script: string) => {
    await writeFile(join(directory, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(directory, name), 0o755)
    return join(directory, name)
  }
  const good = await program('good', 'case "$*" in *=index,name,*) echo "0, NVIDIA L4, 23034, 18012, 40";; esac')
  expect(await listGpus(good)).toEqual(parseGpus('0, NVIDIA L4, 23034, 18012, 40'))
  expect(await listGpus(await program('bad', 'echo "NVIDIA-SMI has failed"; exit 9'))).toBe('failed')
  expect(await listGpus(await program('stuck', 'exec sleep 600'))).toBe('failed')
  expect(await listGpus(join(directory, 'missing'))).toBe('missing')
  await rm(directory, { recursive: true })
})
