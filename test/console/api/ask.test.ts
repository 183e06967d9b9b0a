import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('what is wrong with variables comes with the error, value by value', async () => {
  vi.stubGlobal('document', { hidden: false })
  const details = [{ path: '/amount', message: 'must be a whole number' }]
  const error = { message: 'Invalid variables: see `details`.', extensions: { code: 'INVALID_REQUEST', details } }
  vi.stubGlobal('fetch', async () => Response.json({ errors: [error] }, { status: 400 }))
  const { ask } = await import('../../../src/console/api/ask.ts')
  const asked = ask({ query: 'mutation Any { any }' } as Parameters<typeof ask>[0], {})
  await expect(asked).rejects.toMatchObject({ code: 'INVALID_REQUEST', details })
})

test('a proxy that allows no more requests is waited for as long as it says, a question for a minute at most', async () => {
  vi.stubGlobal('document', { hidden: false })
  vi.useFakeTimers({ now: 0 })
  const answer = { status: 429, headers: { 'retry-after': '90' } }
  vi.stubGlobal('fetch', async () => new Response('Slow down.', answer))
  const { ask } = await import('../../../src/console/api/ask.ts')
  const asked = ask({ query: 'mutation Any { any }' } as Parameters<typeof ask>[0], {})
  await expect(asked).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAt: 90_000, againAt: 60_000 })
})
