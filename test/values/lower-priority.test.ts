import { expect, test, vi } from 'vitest'
import { lowerPriority } from '../../src/values/lower-priority.ts'

test('a thread that may not lower its priority goes on with the one that it has', () => {
  const set = vi.fn(() => {
    throw new Error('EPERM')
  })
  lowerPriority(set)
  expect(set.mock.calls).toEqual(process.platform === 'linux' ? [[5]] : [])
})
