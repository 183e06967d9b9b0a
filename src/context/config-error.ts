/** The environment is wrong: one line per violation. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
