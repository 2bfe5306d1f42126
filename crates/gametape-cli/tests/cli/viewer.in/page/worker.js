self;
