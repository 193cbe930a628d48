import { proveLinks } from './links/proof.ts'

proveLinks(['share: done', 'branch: done', 'restore: done', 'move: done', 'shares shown', 'branches shown'])
