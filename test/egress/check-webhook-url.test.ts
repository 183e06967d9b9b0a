import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkWebhookUrl } from '../../src/egress/check-webhook-url.ts'
import { parseCidr, toAddressBytes } from '../../src/egress/ip-ranges.ts'
import corpus from '../setup/ssrf-corpus.json' with { type: 'json' }

const judge = (url: string) => (checkWebhookUrl(url, []) === null ? '202' : '400')
const ofKind = (expected: string) => corpus.filter(({ expect }) => expect === expected).map(({ url }) => url)

describe('checkWebhookUrl', () => {
  test('the corpus is whole', () => {
    expect(corpus.length).toBe(112)
    expect(ofKind('400').length + ofKind('202').length + ofKind('never-connects').length).toBe(112)
  })

  test.each(ofKind('400'))('%j is refused', (url) => expect(judge(url)).toBe('400'))

  test.each(ofKind('202'))('%j is accepted', (url) => expect(judge(url)).toBe('202'))

  test.each(ofKind('never-connects'))('%j is refused or is a name, which is judged when it is resolved', (url) => {
    if (judge(url) === '400') return
    const host = new URL(url).hostname
    expect(toAddressBytes(host)).toBeNull()
    expect(host.startsWith('[')).toBe(false)
  })

  test('ports below 1024 are refused save 443, in any spelling', () => {
    const accepted = Array.from({ length: 65_536 }, (_, port) => port).filter(
      (port) => judge(`https://hooks.vendor.io:${port}/`) === '202',
    )
    expect(accepted.slice(0, 3)).toEqual([443, 1024, 1025])
    expect(accepted.length).toBe(65_536 - 1024 + 1)
    expect(judge('https://hooks.vendor.io:0022/')).toBe('400')
    expect(judge('https://[::ffff:8.8.8.8]/')).toBe('400')
    expect(judge('https://hooks.vendor.io:/')).toBe('202')
  })

  test('a URL has at most 2,048 characters', () => {
    const start = 'https://hooks.vendor.io/'
    expect(judge(start + 'a'.repeat(2048 - start.length))).toBe('202')
    expect(judge(start + 'a'.repeat(2049 - start.length))).toBe('400')
  })

  test.each([
    'https://api.localhost/',
    'https://LOCALHOST:8443/',
    'https://localhost../',
    'https://a.LocalHost./',
    'https://127.0.0.1./',
    'https://hooks.vendor.io/#',
    'https://hooks.vendor.io/a b',
    'https://hooks.vendor.io/a\u00a0b',
    'https://hooks.vendor.io/\u0085',
    'https://hooks.vendor.io/\\',
    'https:/hooks.vendor.io/',
    'https:hooks.vendor.io/',
    'https://hooks.vendor.io\t.example/',
    'https://user@hooks.vendor.io/',
    'https://user:pass@hooks.vendor.io:8443/',
    'https://[2001:470::5efe:7f00:1]/',
    '',
  ])('%j is refused too', (url) => expect(judge(url)).toBe('400'))

  test.each([
    'https://hooks.vendor.io/a@b?c=d@e',
    'https://mylocalhost/',
    'https://localhost.example/',
    'https://münchen.example/ü',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/x',
  ])('%j is accepted too', (url) => expect(judge(url)).toBe('202'))

  test('EGRESS_ALLOW lets its addresses in, but neither localhost, nor http, nor other ports', () => {
    const allow = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')]
    expect(checkWebhookUrl('https://127.0.0.1:8443/', allow)).toBeNull()
    expect(checkWebhookUrl('https://0x7f.1:8443/', allow)).toBeNull()
    expect(checkWebhookUrl('https://[::1]:8443/', allow)).toBeNull()
    expect(checkWebhookUrl('https://10.0.0.1:8443/', allow)).not.toBeNull()
    expect(checkWebhookUrl('https://localhost:8443/', allow)).not.toBeNull()
    expect(checkWebhookUrl('http://127.0.0.1:8443/', allow)).not.toBeNull()
    expect(checkWebhookUrl('https://127.0.0.1:22/', allow)).not.toBeNull()
  })

  test('no spelling of a loopback or private IPv4 address passes', () => {
    const spelled = (part: number) =>
      fc.constantFrom(
        `${part}`,
        `0${part.toString(8)}`,
        `0x${part.toString(16)}`,
        `0X${part.toString(16).padStart(4, '0')}`,
      )
    const octet = fc.integer({ min: 0, max: 255 })
    const address = fc.tuple(fc.constantFrom([127, 0], [10, 1], [192, 168], [169, 254], [172, 31]), octet, octet)
    const url = address.chain(([[a = 0, b = 0], c, d]) =>
      fc.oneof(
        fc.tuple(spelled(a), spelled(b), spelled(c), spelled(d)).map((parts) => parts.join('.')),
        fc.tuple(spelled(a), spelled(b), spelled(c * 256 + d)).map((parts) => parts.join('.')),
        fc.tuple(spelled(a), spelled(b * 65_536 + c * 256 + d)).map((parts) => parts.join('.')),
        spelled(a * 2 ** 24 + b * 65_536 + c * 256 + d),
      ),
    )
    fc.assert(
      fc.property(url, (host) => judge(`https://${host}/`) === '400'),
      { numRuns: 500 },
    )
  })

  test('no text makes it throw', () => {
    const unit = fc.nat(0x10_ffff).map((codePoint) => String.fromCodePoint(codePoint))
    fc.assert(fc.property(fc.string({ unit }), (text) => ['202', '400'].includes(judge(`https://${text}`))))
  })
})
