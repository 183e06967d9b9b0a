import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

export interface KeyPair {
  readonly key: string
  readonly cert: string
}

export interface Certificates {
  /** For NODE_EXTRA_CA_CERTS. */
  readonly caFile: string
  readonly good: KeyPair
  readonly expired: KeyPair
  /** Of our CA, for another host. */
  readonly wrongHost: KeyPair
  readonly selfSigned: KeyPair
  remove(): void
}

/** A CA of one's own and certificates for 127.0.0.1, hooks.test and *.hooks.test; this process trusts the CA from now on. */
export async function makeCertificates(): Promise<Certificates> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-certificates-'))
  const path = (name: string) => join(directory, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
  const read = (name: string): KeyPair => ({
    key: readFileSync(path(`${name}.key`), 'utf8'),
    cert: readFileSync(path(`${name}.pem`), 'utf8'),
  })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const make = (name: string, san: string, days: string, signer: readonly string[]): KeyPair => {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.csr`]
    openssl('req', '-new', ...newKey, ...files, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${san}`)
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...signer,
      '-copy_extensions',
      'copy',
      '-days',
      days,
      '-out',
      `${name}.pem`,
    )
    return read(name)
  }
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA', '-days', '2')
  const ours = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
  const here = 'IP:127.0.0.1,DNS:hooks.test,DNS:*.hooks.test'
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(path('ca.pem'), 'utf8')])
  return {
    caFile: path('ca.pem'),
    good: make('good', here, '2', ours),
    expired: make('expired', here, '-1', ours),
    wrongHost: make('wrong', 'DNS:elsewhere.test', '2', ours),
    selfSigned: make('self', here, '2', ['-signkey', 'self.key']),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
