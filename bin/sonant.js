#!/usr/bin/env node
import { refuseOldNode } from './node-version.js'

refuseOldNode()
await import('../src/main.ts')
