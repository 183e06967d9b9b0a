import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0
if (!isInstalled) console.info('systemd-analyze is not installed: its own check of the units is skipped')

/** In tenths: an exposure of 3. */
const THRESHOLD = '30'

test.skipIf(!isInstalled).each(['sonant-api.service', 'sonant-worker@.service'])(
  'systemd finds %s exposed to less than 3 of 10',
  (name) => {
    const unit = fileURLToPath(new URL(`../examples/${name}`, import.meta.url))
    const args = ['security', '--offline=true', `--threshold=${THRESHOLD}`, unit]
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args)
    expect(status, String(stdout).split('\n').at(-2) + String(stderr)).toBe(0)
  },
)
