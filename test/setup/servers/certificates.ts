import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { inject } from 'vitest'
import { CA } from '../make-certificates.ts'

export interface KeyPair {
  readonly key: string
  readonly cert: string
}

export interface Certificates {
  /** For NODE_EXTRA_CA_CERTS. */
  readonly caFile: string
  readonly good: KeyPair
  readonly expired: KeyPair
  /** A certificate of our CA for another host. */
  readonly wrongHost: KeyPair
  readonly selfSigned: KeyPair
}

let trusted: Certificates | undefined

/** Those of the whole run; this process trusts their CA from now on. */
export function testCertificates(): Certificates {
  trusted ??= trustIn(inject('certificates'))
  return trusted
}

function trustIn(directory: string): Certificates {
  const read = (name: string) => readFileSync(join(directory, name), 'utf8')
  const pair = (name: string): KeyPair => ({ key: read(`${name}.key`), cert: read(`${name}.pem`) })
  setDefaultCACertificates([...getCACertificates('default'), read(CA)])
  return {
    caFile: join(directory, CA),
    good: pair('good'),
    expired: pair('expired'),
    wrongHost: pair('wrongHost'),
    selfSigned: pair('selfSigned'),
  }
}
