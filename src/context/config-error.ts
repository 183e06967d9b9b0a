/** The environment is wrong: one line per mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
