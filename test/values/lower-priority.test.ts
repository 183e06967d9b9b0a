import { expect, test, vi } from 'vitest'
import { lowerPriority } from '../../src/values/thread.ts'

test('what may not lower its priority goes on with the one that it has', () => {
  const set = vi.fn(() => {
    throw new Error('EPERM')
  })
  lowerPriority(5, set)
  expect(set.mock.calls).toEqual([[5]])
})
