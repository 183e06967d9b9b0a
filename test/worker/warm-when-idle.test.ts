import { describe, expect, test } from 'vitest'
import { warmWhenIdle } from '../../src/worker/start-worker.ts'

describe('warmWhenIdle', () => {
  test('waits until the process does nothing else, and warms once', async () => {
    let checks = 0
    let warmed = 0
    await new Promise<void>((resolve) => {
      warmWhenIdle(
        () => {
          warmed++
          resolve()
        },
        // Something arrives between the first two checks.
        () => [false, true, true, false, false][checks++] ?? true,
      )
    })
    expect([checks, warmed]).toEqual([5, 1])
  })

  test('called off, it warms nothing', async () => {
    const warmed: string[] = []
    const callOff = warmWhenIdle(
      () => warmed.push('called off'),
      () => false,
    )
    // It would be the second one's turn after the first one's.
    await new Promise<void>((resolve) => {
      const warm = () => {
        warmed.push('second')
        resolve()
      }
      warmWhenIdle(warm, () => {
        callOff()
        return false
      })
    })
    expect(warmed).toEqual(['second'])
  })
})
