import fc from 'fast-check'
import { expect, test } from 'vitest'
import { returnPath } from '../../../src/console/sign-in/return-path.ts'

const ORIGIN = 'https://sonant.example.com'
const pathOf = (to: string | undefined, scope = '/console') => returnPath(to, ORIGIN, scope)

test.each([
  '/console',
  '/console/jobs',
  '/console/jobs?status=failed&window=24h#top',
  '/console/webhooks/deliveries/msg_1',
  '/console/playground?voice=https://example.com',
  '/console/jobs?search=%E0%A4%A',
  '/console/jobs/sign-in',
  '/console/jobs/a%20b',
])('%s is the address of a screen', (to) => {
  expect(pathOf(to)).toBe(to)
})

test.each([
  undefined,
  '',
  'jobs',
  '//evil.example.com',
  '//evil.example.com/console/jobs',
  '/\\evil.example.com/console/jobs',
  '\\\\evil.example.com/console/jobs',
  '/\t/evil.example.com/console/jobs',
  '/\n/evil.example.com/console/jobs',
  ' //evil.example.com/console/jobs',
  'https://evil.example.com/console/jobs',
  'https:/console/jobs',
  `${ORIGIN}.evil.example.com/console/jobs`,
  `${ORIGIN}@evil.example.com/console/jobs`,
  'javascript:alert(1)//console/',
  'data:text/html,/console/',
  '/console.evil',
  '/consoles/jobs',
  '/docs',
  '/console/../graphql',
  '/console/%2e%2e/graphql',
  '/console\\..\\..\\graphql',
  '/..//evil.example.com/console/jobs',
  '/.//evil.example.com',
  '//[',
  '/console/sign-in',
  '/console/sign-in?to=/console/sign-in',
  '/console/sign-in/',
  '/console//sign-in',
  '/console/sign%2Din',
  '/console/enter',
  '/console/enter#token',
  '/console/jobs/%E0%A4%A',
  '/console/%',
])('%j leads nowhere', (to) => {
  expect(pathOf(to)).toBeNull()
})

test('behind a path of a proxy, screens lie under it', () => {
  expect(pathOf('/voice/console/jobs', '/voice/console')).toBe('/voice/console/jobs')
  expect(pathOf('/console/jobs', '/voice/console')).toBeNull()
})

test('whatever it is given, it leads to this server, under the console', () => {
  const parts = fc.array(
    fc.constantFrom('/', '\\', '.', '..', 'console', 'evil.example.com', '@', ':', '?', '#', '\t', 'https:', '%2f'),
  )
  fc.assert(
    fc.property(parts, (some) => {
      const to = pathOf(some.join(''))
      if (to === null) return
      const url = new URL(to, `${ORIGIN}/console/sign-in`)
      expect([url.origin, url.pathname.split('/')[1]]).toEqual([ORIGIN, 'console'])
    }),
    { numRuns: 2000 },
  )
})
