import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const MANIFEST = fileURLToPath(new URL('../package.json', import.meta.url))
/** The checkout's own, while a package is made. */
const KEPT = `${MANIFEST}.checkout`

/** Fields that only the checkout needs. */
const OF_THE_CHECKOUT = ['scripts', 'devDependencies', 'overrides', 'allowScripts']

/** Puts the package's manifest in the place of the checkout's, until `restoreManifest`. */
export function packManifest(): void {
  restoreManifest()
  const text = readFileSync(MANIFEST, 'utf8')
  writeFileSync(KEPT, text)
  writeFileSync(MANIFEST, `${JSON.stringify(packagedManifest(JSON.parse(text)), null, 2)}\n`)
}

/** Also mends what a packing left that was broken off. */
export function restoreManifest(): void {
  if (existsSync(KEPT)) renameSync(KEPT, MANIFEST)
}

/** Not in the checkout's: npx would take the checkout for a package to install, and read all of node_modules twice before each command. */
const COMMANDS = { sonant: 'bin/sonant.js' }

/** Whose packages are Node.js itself, and need no script at their installation; macOS has to have its own. */
const PLATFORMS = ['linux-arm64', 'linux-x64']

interface CheckoutManifest {
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** The package brings its Node.js, for machines whose own is too old; a checkout has it as a development package. */
function packagedManifest(manifest: CheckoutManifest): Record<string, unknown> {
  const { devDependencies, optionalDependencies } = manifest
  const kept = Object.entries(manifest).filter(([field]) => !OF_THE_CHECKOUT.includes(field))
  const node = Object.fromEntries(PLATFORMS.map((platform) => [`node-${platform}`, devDependencies.node]))
  return { ...Object.fromEntries(kept), bin: COMMANDS, optionalDependencies: { ...optionalDependencies, ...node } }
}
