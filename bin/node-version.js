// Plain JavaScript that any Node.js reads: an old one fails on TypeScript with a stack trace of its own.
const NEEDED_MAJOR = 24

/** Ends the process with one sentence where this Node.js is too old to run the service. */
export function refuseOldNode() {
  const [major] = process.versions.node.split('.')
  if (Number(major) >= NEEDED_MAJOR) return
  process.stderr.write(
    `Sonant needs Node.js ${NEEDED_MAJOR} or newer, and this is ${process.version}: install it, or run "npm ci" without --omit=dev and then npm start or npx sonant, which bring their own.\n`,
  )
  process.exit(1)
}
