import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0
if (!isInstalled) console.info('systemd-analyze is not installed: its own check of the units is skipped')

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))
const UNITS = ['sonant-api.service', 'sonant-worker@.service', 'sonant-gpu-worker.service', 'sonant-migrate.service']

/** In tenths: an exposure of 3. */
const THRESHOLD = '30'

test.skipIf(!isInstalled).each(UNITS)('systemd finds %s exposed to less than 3 of 10', (name) => {
  const unit = join(EXAMPLES, name)
  const args = ['security', '--offline=true', `--threshold=${THRESHOLD}`, unit]
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args)
  expect(status, String(stdout).split('\n').at(-2) + String(stderr)).toBe(0)
})

test.skipIf(!isInstalled)('systemd finds nothing wrong with the units', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-units-'))
  const paths = UNITS.map((name) => join(directory, name.replace('@', '@gpu')))
  // Where there are neither the sources nor the user yet.
  const placed = (name: string) =>
    readFileSync(join(EXAMPLES, name), 'utf8')
      .replaceAll('/opt/sonant/node_modules/.bin/node', process.execPath)
      .replaceAll('User=sonant', 'User=daemon')
  await Promise.all(UNITS.map((name, index) => writeFile(paths[index]!, placed(name))))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...paths])
  expect([status, String(stderr)]).toEqual([0, ''])
  await rm(directory, { recursive: true })
})

test.each(['sonant-api.service', 'sonant-worker@.service', 'sonant-gpu-worker.service'])(
  'in %s threads may lower their own priority',
  (name) => {
    const lines = readFileSync(join(EXAMPLES, name), 'utf8').matchAll(/^SystemCallFilter=(.*)$/gm)
    const isAllowed = [...lines].reduce(
      (allowed, [, filter = '']) =>
        /^~.*@resources/.test(filter) ? false : /@system-service|setpriority/.test(filter) || allowed,
      false,
    )
    expect(isAllowed).toBe(true)
  },
)
