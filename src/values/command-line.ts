/** A checkout runs its sources; a package runs what was built of them. */
const IS_CHECKOUT = import.meta.filename.endsWith('.ts')

/**
 * A command line that works where this process was started: by npx in a checkout, by npx with the package's name where npx started the package,
 * and by the command's own name where that is on the PATH. On the npm registry the name `sonant` belongs to another package.
 * @param args such as `secrets rekey`
 */
export const commandLine = (args: string): string => `${commandName(IS_CHECKOUT, process.argv[1] ?? '')} ${args}`

/** @param script the path that Node.js was given */
export function commandName(isCheckout: boolean, script: string): string {
  if (isCheckout) return 'npx sonant'
  return /[\\/]node_modules[\\/](\.bin|sonant-tts)[\\/]/.test(script) ? 'npx sonant-tts' : 'sonant'
}
