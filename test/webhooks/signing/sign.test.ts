import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../../../src/accounts/create-account.ts'
import { openVault, UnreadableSecret } from '../../../src/values/secret-vault.ts'
import {
  hasSignature,
  readCapture,
  readWebhookSecret,
  signDelivery,
  verifyDelivery,
  writeWebhookSecret,
} from '../../../src/webhooks/signing.ts'

/** The vector that Standard Webhooks publishes with its libraries. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

describe('signDelivery', () => {
  test('signs the published vector of Standard Webhooks', () => {
    const secret = readWebhookSecret(VECTOR.secret)!
    expect(signDelivery([secret], VECTOR.id, VECTOR.timestamp, Buffer.from(VECTOR.body))).toBe(VECTOR.signature)
  })

  test('two public verifiers accept it with either secret, over any body', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const [fresh, old] = [newWebhookSecret(), newWebhookSecret()]
        const body = JSON.stringify({ text })
        const timestamp = String(Math.floor(Date.now() / 1000))
        const signature = signDelivery([fresh, old], 'msg_1', timestamp, Buffer.from(body))
        const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
        for (const secret of [fresh, old].map(writeWebhookSecret)) {
          expect(new StandardWebhook(secret).verify(body, headers)).toEqual({ text })
          expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow()
        }
        expect(() => new StandardWebhook(writeWebhookSecret(newWebhookSecret())).verify(body, headers)).toThrow()
      }),
      { numRuns: 30 },
    )
  })

  test('the newer secret signs first', () => {
    const [fresh, old] = [newWebhookSecret(), newWebhookSecret()]
    const values = signDelivery([fresh, old], 'msg_1', '1', Buffer.from('{}')).split(' ')
    expect(values).toEqual([fresh, old].map((secret) => signDelivery([secret], 'msg_1', '1', Buffer.from('{}'))))
  })

  test('any changed byte of id, timestamp, body or secret makes it wrong', () => {
    const secret = newWebhookSecret()
    const body = Buffer.from('{"a":1}')
    const headers = { id: 'msg_1', timestamp: '100', signature: signDelivery([secret], 'msg_1', '100', body) }
    expect(hasSignature(secret, headers, body)).toBe(true)
    expect(hasSignature(secret, { ...headers, id: 'msg_2' }, body)).toBe(false)
    expect(hasSignature(secret, { ...headers, timestamp: '101' }, body)).toBe(false)
    expect(hasSignature(secret, headers, Buffer.from('{"a":2}'))).toBe(false)
    expect(hasSignature(newWebhookSecret(), headers, body)).toBe(false)
  })
})

describe('a written secret', () => {
  test('is whsec_ and base64 of 32 bytes, and reads back', () => {
    const secret = newWebhookSecret()
    expect(writeWebhookSecret(secret)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(readWebhookSecret(writeWebhookSecret(secret))).toEqual(secret)
  })

  test.each(['', 'whsec_', 'whsec_abc', 'whsec_!!!!', VECTOR.secret.slice(6)])('%j is none', (text) => {
    expect(readWebhookSecret(text)).toBeNull()
  })
})

describe('the vault', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)]

  test('the same secret is sealed differently each time and opens', () => {
    const vault = openVault([first])
    const secret = newWebhookSecret()
    const sealed = [vault.seal('acct_1', secret), vault.seal('acct_1', secret)]
    expect(sealed[0]).not.toEqual(sealed[1])
    for (const each of sealed) {
      expect(each.includes(secret)).toBe(false)
      expect(vault.open('acct_1', each)).toEqual(secret)
    }
  })

  test("another account's secret, one under another key, and one with any bit changed do not open", () => {
    const vault = openVault([first])
    const sealed = vault.seal('acct_1', newWebhookSecret())
    expect(() => vault.open('acct_2', sealed)).toThrow(UnreadableSecret)
    expect(() => openVault([second]).open('acct_1', sealed)).toThrow(UnreadableSecret)
    for (let at = 0; at < sealed.length; at++) {
      const broken = Buffer.from(sealed)
      broken[at]! ^= 1
      expect(() => vault.open('acct_1', broken)).toThrow(UnreadableSecret)
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => vault.open('acct_1', sealed.subarray(0, length))).toThrow(UnreadableSecret)
    }
  })

  test('an old key opens, and only the first one seals', () => {
    const secret = newWebhookSecret()
    const old = openVault([first]).seal('acct_1', secret)
    const both = openVault([second, first])
    expect(both.open('acct_1', old)).toEqual(secret)
    expect(both.isCurrent('acct_1', old)).toBe(false)
    expect(both.isCurrent('acct_1', both.seal('acct_1', secret))).toBe(true)
  })
})

describe('verifyDelivery', () => {
  const capture = (change: (text: string) => string = (text) => text) =>
    readCapture(
      Buffer.from(
        change(
          `POST /hook HTTP/1.1\r\nWebhook-Id: ${VECTOR.id}\r\nwebhook-timestamp: ${VECTOR.timestamp}\r\n` +
            `webhook-signature: v1,AAAA ${VECTOR.signature}\r\n\r\n${VECTOR.body}`,
        ),
      ),
    )
  const secret = readWebhookSecret(VECTOR.secret)!
  const at = (seconds: number) => new Date((Number(VECTOR.timestamp) + seconds) * 1000)

  test('a genuine capture is valid, with CRLF or LF, up to 300 s from now either way', () => {
    for (const seconds of [-300, 0, 300]) {
      expect(verifyDelivery(capture(), secret, at(seconds))).toMatchObject({ valid: true, ageSeconds: seconds })
    }
    expect(
      verifyDelivery(
        capture((text) => text.replaceAll('\r', '')),
        secret,
        at(0),
      ).valid,
    ).toBe(true)
  })

  test('everything that is wrong is said', () => {
    for (const seconds of [-301, 301]) {
      expect(verifyDelivery(capture(), secret, at(seconds)).problems).toEqual([expect.stringMatching(/301 s/)])
    }
    const reserialised = capture((text) => text.replace('{"test": ', '{"test":'))
    expect(verifyDelivery(reserialised, secret, at(0)).problems).toEqual([expect.stringMatching(/raw body/)])
    expect(verifyDelivery(capture(), newWebhookSecret(), at(0)).valid).toBe(false)
    for (const end of ['\n', '\r\n']) {
      const edited = capture((text) => text + end)
      expect(verifyDelivery(edited, secret, at(0)).problems).toEqual([expect.stringMatching(/line end/)])
      expect(verifyDelivery(edited, newWebhookSecret(), at(0)).problems).toEqual([expect.stringMatching(/secret/)])
    }
    const bare = readCapture(Buffer.from('\n\n{}'))
    expect(verifyDelivery(bare, secret, at(0)).problems).toHaveLength(3)
    const milliseconds = capture((text) => text.replace(VECTOR.timestamp, `${VECTOR.timestamp}000`))
    expect(verifyDelivery(milliseconds, secret, at(0)).valid).toBe(false)
  })
})
