import manifest from '../../package.json' with { type: 'json' }

/** This service's own version, as package.json names it. */
export const VERSION: string = manifest.version
