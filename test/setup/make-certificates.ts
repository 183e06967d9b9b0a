import { execFileSync } from 'node:child_process'

export const CA = 'ca.pem'

/** Writes a CA of one's own and certificates for 127.0.0.1, hooks.test and *.hooks.test into the directory. */
export function makeCertificates(directory: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const make = (name: string, san: string, days: string, signer: readonly string[]): void => {
    const [key, pem, csr] = [`${name}.key`, `${name}.pem`, `${name}.csr`]
    const named = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${san}`]
    openssl('req', '-new', ...newKey, '-keyout', key, '-out', csr, ...named)
    openssl('x509', '-req', '-in', csr, ...signer, '-copy_extensions', 'copy', '-days', days, '-out', pem)
  }
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', CA, '-subj', '/CN=Test CA', '-days', '2')
  const ours = ['-CA', CA, '-CAkey', 'ca.key', '-CAcreateserial']
  const here = 'IP:127.0.0.1,DNS:hooks.test,DNS:*.hooks.test'
  make('good', here, '2', ours)
  make('expired', here, '-1', ours)
  make('wrongHost', 'DNS:elsewhere.test', '2', ours)
  make('selfSigned', here, '2', ['-signkey', 'selfSigned.key'])
}
