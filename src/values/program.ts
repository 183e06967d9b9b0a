import manifest from '../../package.json' with { type: 'json' }

const IS_CHECKOUT = import.meta.filename.endsWith('.ts')
export const VERSION: string = manifest.version

/**
 * Returns a command line that works the way this process was started.
 * On the npm registry the name `sonant` belongs to another package.
 * @param args such as `secrets rekey`
 */
export const commandLine = (args: string): string => `${commandName(IS_CHECKOUT, process.argv[1] ?? '')} ${args}`

export function commandName(isCheckout: boolean, script: string): string {
  if (isCheckout) return 'npx sonant'
  return /[\\/]node_modules[\\/](\.bin|sonant-tts)[\\/]/.test(script) ? 'npx sonant-tts' : 'sonant'
}
