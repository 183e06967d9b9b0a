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

test.each([
  ['an HTTP date', 429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:30 GMT' }, 30_000],
  [
    'an HTTP date, where its own clock is off',
    429,
    { 'retry-after': 'Thu, 01 Jan 1970 01:00:30 GMT', date: 'Thu, 01 Jan 1970 01:00:00 GMT' },
    30_000,
  ],
  ['a time that is over', 429, { 'retry-after': 'Wed, 31 Dec 1969 23:59:00 GMT' }, 1000],
  ['nothing, of too many requests', 429, {}, 5000],
  ['no time', 429, { 'retry-after': 'soon' }, 5000],
  ['0 seconds', 429, { 'retry-after': '0' }, 1000],
  ['seconds, being down', 503, { 'retry-after': '20' }, 20_000],
  ['nothing, being down', 503, {}, null],
])('where it says %s, a pause ends', async (_, status, headers, retryAt) => {
  vi.stubGlobal('document', { hidden: false })
  vi.useFakeTimers({ now: 0 })
  vi.stubGlobal('fetch', async () => new Response('Not now.', { status, headers: headers as Record<string, string> }))
  const { ask } = await import('../../../src/console/api/ask.ts')
  const asked = ask({ query: 'mutation Any { any }' } as Parameters<typeof ask>[0], {})
  await expect(asked).rejects.toMatchObject({ retryAt, againAt: retryAt })
})

test.each([
  ['408', 408, '', 'UNAVAILABLE'],
  ['425', 425, '', 'UNAVAILABLE'],
  ['502', 502, 'Bad gateway', 'UNAVAILABLE'],
  ['503', 503, '{"message": "no healthy upstream"}', 'UNAVAILABLE'],
  ['504', 504, '', 'UNAVAILABLE'],
  ['520', 520, 'error code: 520', 'UNAVAILABLE'],
  ['527', 527, '', 'UNAVAILABLE'],
  ['530', 530, '', 'UNAVAILABLE'],
  ['528', 528, '', 'UNEXPECTED_ANSWER'],
  ['403', 403, '<h1>Forbidden</h1>', 'UNEXPECTED_ANSWER'],
  ['404', 404, '{"error": {"code": 404}}', 'UNEXPECTED_ANSWER'],
  ['500', 500, '<h1>Error</h1>', 'UNEXPECTED_ANSWER'],
  ['403 with details as a text', 403, '{"error_code": 7, "details": "rule 12"}', 'UNEXPECTED_ANSWER'],
  ['403 with no violations', 403, '{"details": ["rule 12", null, {"path": "/"}]}', 'UNEXPECTED_ANSWER'],
  ['400 with errors that are no list', 400, '{"errors": {}}', 'UNEXPECTED_ANSWER'],
  ['400 with no error', 400, '{"errors": [null]}', 'UNEXPECTED_ANSWER'],
  ['403 of JSON:API', 403, '{"errors": [{"status": "403", "title": "No"}]}', 'UNEXPECTED_ANSWER'],
  ['200 of another API', 200, '{"data": {"items": []}}', 'UNEXPECTED_ANSWER'],
  ['200 with a list', 200, '{"data": [1]}', 'UNEXPECTED_ANSWER'],
  ['200 with nothing', 200, '{"data": null}', 'UNEXPECTED_ANSWER'],
  ['200 as a number', 200, '1', 'UNEXPECTED_ANSWER'],
  ['200 as a page', 200, '<h1>Sign in to the network</h1>', 'UNEXPECTED_ANSWER'],
])('an answer of a proxy, %s, says whether it may be another one in a moment', async (_, status, body, code) => {
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('fetch', async () => new Response(body, { status, headers: { 'retry-after': '7' } }))
  const { ask } = await import('../../../src/console/api/ask.ts')
  const asked = ask({ query: 'query Any { any }' } as Parameters<typeof ask>[0], {})
  const retryAt = code === 'UNAVAILABLE' ? expect.any(Number) : null
  await expect(asked).rejects.toMatchObject({ code, retryAt, againAt: retryAt })
  await expect(asked).rejects.toThrow(`status ${status}`)
  await expect(asked).rejects.toMatchObject({ details: [] })
})

test.each([
  [401, 'asks for a sign-in of its own'],
  [413, 'larger than a proxy in front of the service lets through'],
])('a proxy that answers %i is said with what to do, and asked no more', async (status, sentence) => {
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('fetch', async () => new Response('<h1>No</h1>', { status }))
  const { ask } = await import('../../../src/console/api/ask.ts')
  const asked = ask({ query: 'query Any { any }' } as Parameters<typeof ask>[0], {})
  await expect(asked).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', againAt: null })
  await expect(asked).rejects.toThrow(sentence)
})

test('an error whose details are none is shown without them', async () => {
  vi.stubGlobal('document', { hidden: false })
  const extensions = { code: 12, details: 'rule 12', requestId: 7, retryAfterSeconds: 'soon' }
  vi.stubGlobal('fetch', async () => Response.json({ errors: [{ message: 'Not today.', extensions }] }))
  const { ask } = await import('../../../src/console/api/ask.ts')
  const asked = ask({ query: 'query Any { any }' } as Parameters<typeof ask>[0], {})
  await expect(asked).rejects.toMatchObject({ message: 'Not today.', code: 'INTERNAL_ERROR', details: [] })
})

test('a connection that is lost within an answer is one that is lost', async () => {
  vi.stubGlobal('document', { hidden: false })
  const body = () => new ReadableStream({ start: (to) => to.error(new TypeError('network error')) })
  for (const status of [200, 403]) {
    vi.stubGlobal('fetch', async () => new Response(body(), { status }))
    const { ask } = await import('../../../src/console/api/ask.ts')
    const asked = ask({ query: 'query Any { any }' } as Parameters<typeof ask>[0], {})
    await expect(asked).rejects.toMatchObject({ code: 'OFFLINE' })
  }
})

test('what is limited says it in the words of the service', async () => {
  vi.stubGlobal('document', { hidden: false })
  const message = 'Finish or close one of your 4 open exports first.'
  const error = { message, extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 1 } }
  vi.stubGlobal('fetch', async () => Response.json({ errors: [error] }))
  const { ask } = await import('../../../src/console/api/ask.ts')
  const asked = ask({ query: 'mutation Any { any }' } as Parameters<typeof ask>[0], {})
  await expect(asked).rejects.toMatchObject({ message })
})
