import { expect, test } from 'vitest'
import { hasBrowser } from '../../src/cli/open-browser.ts'

const SCREEN = { DISPLAY: ':0' }

test('a start on a terminal shows the console where a user sits before a display', () => {
  expect(hasBrowser(SCREEN, 'linux', true)).toBe(true)
  expect(hasBrowser({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true)).toBe(true)
  expect(hasBrowser({}, 'darwin', true)).toBe(true)
})

test.each([
  ['over ssh', { ...SCREEN, SSH_CONNECTION: '10.0.0.1 50000 10.0.0.2 22' }, 'linux', true],
  ['in a terminal of ssh', { SSH_TTY: '/dev/pts/1' }, 'darwin', true],
  ['without a display', {}, 'linux', true],
  ['in a build', { ...SCREEN, CI: 'true' }, 'linux', true],
  ['with its output piped', SCREEN, 'linux', false],
  ['where no program is known that opens one', SCREEN, 'freebsd', true],
] as const)('it shows none %s', (_where, env, platform, isTerminal) => {
  expect(hasBrowser(env, platform, isTerminal)).toBe(false)
})
